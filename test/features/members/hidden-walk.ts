import { expect } from 'chai';
import { allRoutes } from '../../edges/http/http-setup.js';
import { type Api, api, signIn } from '../../support/api.js';
import { type TestPerson, tokenFor } from '../../support/build.js';
import type { GroupGuild } from '../sync/sync-setup.js';

/** A Roblox account that a guild must not see. */
export type HiddenGame = Pick<TestPerson, 'gameUserId' | 'gameUsername'>;

/** Fails if a text contains the Roblox name, or the Roblox id as a separate value. */
export function expectHidden({ gameUsername, gameUserId }: HiddenGame, text: string, where: string): void {
  expect(text, where).not.to.match(new RegExp(`${gameUsername}|"${gameUserId}"`, 'i'));
}

/** Everybody who may ask a guild's routes: its token, its owner, and the platform's token. */
export const callersOf = async (guild: GroupGuild): Promise<Api[]> => [
  guild.api,
  await signIn(guild.ownerId),
  api(await tokenFor('*', 'owner')),
];

const reading = (guild: GroupGuild, { chatUserId }: TestPerson): string[] =>
  allRoutes()
    .map(({ name }) => name)
    .filter((name) => name.startsWith('GET /api/guilds/:guildId'))
    .map((name) => name.slice('GET '.length))
    .filter((path) => !/:(?!guildId|memberId)/.test(path))
    .map((path) => path.replace(':guildId', guild.guildId).replace(':memberId', chatUserId));

/** Asks every reading route in a guild, and fails if one shows the person's hidden account. */
export async function askEverywhere(
  guild: GroupGuild,
  person: TestPerson,
  hidden: HiddenGame,
  callers: readonly Api[],
): Promise<void> {
  const { chatUserId, username } = person;
  const { gameUserId, gameUsername } = hidden;
  const ask = async (caller: Api, method: 'get' | 'post', path: string, body?: unknown): Promise<void> => {
    const answer = method === 'get' ? await caller.get(path) : await caller.post(path, body);
    expectHidden(hidden, JSON.stringify(answer.body ?? ''), `${method} ${path}`);
  };
  for (const caller of callers) {
    for (const path of reading(guild, person)) await ask(caller, 'get', path);
    for (const query of [`gameUserId=${gameUserId}`, `q=${gameUsername}`, 'status=joined', 'status=unlinked']) {
      const { status, body } = await caller.get(`${guild.path}/members?${query}`);
      expect(status).to.equal(200);
      if (!query.startsWith('status')) expect(body.data, query).to.deep.equal([]);
      expectHidden(hidden, JSON.stringify(body), query);
    }
    await ask(caller, 'get', `${guild.path}/people?q=${username}`);
    await ask(caller, 'get', `${guild.path}/names?ids=${chatUserId}`);
    await ask(caller, 'post', `${guild.path}/members/lookup`, { memberIds: [chatUserId] });
    const { body } = await caller.post(`${guild.path}/members/lookup`, { gameUserIds: [gameUserId] });
    expect(body.data).to.deep.equal([{ id: gameUserId, member: null }]);
    await ask(caller, 'post', `${guild.path}/sync/preview`, {});
    await ask(caller, 'post', `${guild.path}/members/${chatUserId}/resync`, {});
  }
}
