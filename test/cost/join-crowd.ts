import mongoose, { type mongo, trusted } from 'mongoose';
import { Members } from '../../src/features/members/member-model.js';
import type { GroupGuild } from '../features/sync/sync-setup.js';
import { buildPerson, eventually, linkPerson, type TestPerson } from '../support/build.js';
import { world } from '../support/world.js';
import { beside } from './cost-meter.js';

/** The cost when a crowd joins at the same time, without wake-ups. */
export interface CrowdCost {
  commands: Record<string, number>;
  perJoin: number;
  memberReads: number;
  robloxCalls: number;
  syncs: number[];
}

/** People with rank 100 in the guild's group; with accounts if `verified`. */
export async function buildCrowd(
  { groupId }: GroupGuild,
  count: number,
  { verified }: { verified: boolean },
): Promise<TestPerson[]> {
  const { roblox } = await world();
  const people: TestPerson[] = [];
  for (let n = 0; n < count; n += 1) {
    const person = await buildPerson();
    if (verified) await linkPerson(null, person);
    roblox.setRank(groupId, person.gameUserId, 100);
    people.push(person);
  }
  return people;
}

/** `whenAllAre` is called when all are being synced and none waits for the database. */
export async function joinAtOnce(
  { guildId }: GroupGuild,
  people: readonly TestPerson[],
  { whenAllAre, withinMs = 50_000 }: { whenAllAre?: () => void; withinMs?: number } = {},
): Promise<CrowdCost> {
  const { discord, roblox } = await world();
  const about = [guildId, ...people.flatMap(({ chatUserId, gameUserId }) => [chatUserId, gameUserId])];
  const ofCrowd = new RegExp(about.join('|'));
  const client = mongoose.connection.getClient();
  const commands: Record<string, number> = {};
  const open = new Set<number>();
  let synced = 0;
  const note = ({ command, commandName, requestId }: mongo.CommandStartedEvent) => {
    const collection = String(command.collection ?? command[commandName]);
    const text = JSON.stringify(command);
    if (commandName === 'aggregate' || !ofCrowd.test(text)) return;
    const kind = `${commandName} ${collection}`;
    // How many members there are is stored by the clock, for all guilds together.
    if (kind === 'update guilds') return;
    commands[kind] = (commands[kind] ?? 0) + 1;
    if (kind === 'findAndModify leases' && text.includes(`sync:${guildId}:`)) synced += 1;
    open.add(requestId);
  };
  const end = ({ requestId }: { requestId: number }) => open.delete(requestId);
  const before = { discord: discord.requests.length, roblox: roblox.requests.length };
  const ids = people.map(({ chatUserId }) => chatUserId);
  const isOver = { guildId, chatUserId: trusted({ $in: ids }), owedSync: trusted({ $exists: false }) };
  client.on('commandStarted', note).on('commandSucceeded', end).on('commandFailed', end);
  for (const id of ids) discord.join(guildId, id);
  if (whenAllAre !== undefined) {
    await eventually(() => synced >= ids.length && open.size === 0, 'the wait of all');
    whenAllAre();
  }
  await eventually(
    async () => (await beside(() => Members.acrossGuilds.countDocuments(isOver))) === ids.length,
    'the syncs',
    withinMs,
  );
  client.off('commandStarted', note).off('commandSucceeded', end).off('commandFailed', end);
  const members = await Members.find({ guildId, chatUserId: trusted({ $in: ids }) });
  const isMember = `/guilds/${guildId}/members/`;
  const calls = discord.requests.slice(before.discord);
  return {
    commands,
    perJoin: Object.values(commands).reduce((sum, more) => sum + more, 0) / ids.length,
    memberReads: calls.filter(({ method, path }) => method === 'GET' && path.includes(isMember)).length,
    robloxCalls: roblox.requests.length - before.roblox,
    syncs: members.map(({ syncs }) => syncs.length),
  };
}
