import { buildTeammate } from '../features/team/team-setup.js';
import { answer, type Receiver, startReceiver } from '../features/webhooks/receiver.js';
import { asPerson } from '../support/api.js';
import { buildMember } from '../support/build.js';
import type { LivingGuild } from './living-guild.js';

export interface LivingTeam {
  receiver: Receiver;
  webhookId: string;
  /** A test event that was refused. */
  deliveryId: string;
}

/** What a team works with: a webhook with a success and a failure, a token, and teammates, one of them invited. */
export async function buildLivingTeam(guild: LivingGuild): Promise<LivingTeam> {
  const receiver = await startReceiver();
  const { api, path, owner } = guild;
  const draft = { url: receiver.url, events: ['member.unlinked', 'role.synced'], description: 'Our website' };
  const { webhookId } = (await api.post(`${path}/webhooks`, draft)).body;
  await api.post(`${path}/webhooks/${webhookId}/test`, {});
  receiver.behave(answer(500, { 'content-type': 'application/json' }, '{"error":"no room"}'));
  const { deliveryId } = (await api.post(`${path}/webhooks/${webhookId}/test`, {})).body;
  const person = await asPerson(owner);
  await person.post(`${path}/tokens`, { name: 'Website', role: 'viewer' });
  await buildTeammate(guild, 'manager');
  await buildTeammate(guild, 'admin', 'invited');
  await buildMember(guild, { linked: false });
  return { receiver, webhookId, deliveryId };
}
