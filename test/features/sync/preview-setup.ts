import { expect } from 'chai';
import type { ApiAnswer } from '../../support/api.js';
import type { TestGuild, TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';

export async function preview({ api, path }: TestGuild, body: object = {}): Promise<ApiAnswer['body']> {
  const answer = await api.post(`${path}/sync/preview`, body);
  expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  return answer.body;
}

export function byMember({ members }: ApiAnswer['body']): Record<string, ApiAnswer['body']> {
  return Object.fromEntries(members.map((member: { memberId: string }) => [member.memberId, member]));
}

/** A person's sorted roles and nickname on Discord. */
export async function onDiscord({ guildId }: TestGuild, { chatUserId }: Pick<TestPerson, 'chatUserId'>) {
  const { discord } = await world();
  const { roleIds = [], nickname = null } = discord.member(guildId, chatUserId) ?? {};
  return { roleIds: [...roleIds].sort(), nickname };
}

/** The element at `index`, which must be there. */
export function at<T>(list: readonly T[], index: number): T {
  const item = list.at(index);
  if (item === undefined) throw new Error(`There is no element ${index}.`);
  return item;
}
