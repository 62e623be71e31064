import { expect } from 'chai';
import mongoose from 'mongoose';
import { type AuditEntry, latestEntries } from '../../../src/core/audit/audit-service.js';
import { Members, searchNames } from '../../../src/features/members/member-model.js';
import { type PlannedChange, PlannedChanges } from '../../../src/features/sync/plan/planned-change-model.js';
import { readResync } from '../../../src/features/sync/resync/resync-service.js';
import { viewResync } from '../../../src/features/sync/resync/resync-view.js';
import { clock } from '../../../src/lib/clock.js';
import { hourMs } from '../../../src/lib/time.js';
import { api } from '../../support/api.js';
import { buildPerson, eventually, knownGuild, type TestGuild, type TestPerson, tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';

/** A guild with members from before the bot joined, a role for a group's members, and one for its officers. */
export interface ResyncGuild extends TestGuild {
  groupId: string;
  memberRole: string;
  officerRole: string;
  people: TestPerson[];
}

export interface ResyncPeople {
  /** All are linked members in the group, and bear their Roblox name. */
  count: number;
  /** How many hold the member role already; all when left out. */
  inStep?: number;
}

type ResyncView = ReturnType<typeof viewResync>;

let serial = 0;

/** The group's rank 1 gives the member role; rank 100 also gives the officer role. */
export async function buildResyncGuild({ count, inStep = count }: ResyncPeople): Promise<ResyncGuild> {
  const { discord, roblox } = await world();
  serial += 1;
  const owner = discord.addUser({ username: `resync.owner${serial}` });
  const { id: guildId } = discord.addGuild({ name: `Resync ${serial}`, ownerId: owner.id, withBot: false });
  const memberRole = discord.addRole(guildId, { name: 'Member' }).id;
  const officerRole = discord.addRole(guildId, { name: 'Officer' }).id;
  const { id: groupId } = roblox.addGroup({ name: `Group ${serial}` });
  const people = await Promise.all(Array.from({ length: count }, () => buildPerson()));
  for (const [index, { chatUserId, gameUserId, gameUsername }] of people.entries()) {
    roblox.setRank(groupId, gameUserId, 1);
    discord.join(guildId, chatUserId, { roleIds: index < inStep ? [memberRole] : [], nickname: gameUsername });
  }
  await Members.acrossGuilds.insertMany(people.map((person) => linkedMember(guildId, person)));
  discord.addBot(guildId);
  discord.moveRole(guildId, discord.botRole(guildId).id, 3);
  const guild = await knownGuild(guildId);
  const token = await tokenFor(guildId, 'owner');
  const path = `/api/guilds/${guildId}`;
  const client = api(token);
  await client.post(`${path}/groups`, { groupId });
  for (const [min, roleId] of [
    [1, memberRole],
    [100, officerRole],
  ] as const) {
    const condition = { type: 'group_rank', groupId, min, max: 255 };
    const { status } = await client.post(`${path}/mappings`, { condition, roleIds: [roleId] });
    expect(status).to.equal(201);
  }
  discord.forgetRequests();
  roblox.forgetRequests();
  return { guildId, ownerId: owner.id, guild, token, api: client, path, groupId, memberRole, officerRole, people };
}

/** The stored member for a person linked in a guild an hour ago and never synced there. */
export function linkedMember(guildId: string, person: TestPerson) {
  const { chatUserId, username: chatUsername, gameUserId, gameUsername } = person;
  return {
    _id: new mongoose.Types.ObjectId(),
    guildId,
    chatUserId,
    chatUsername,
    gameUserId,
    gameUsername,
    gameDisplayName: gameUsername,
    names: searchNames(chatUsername, gameUsername),
    state: 'linked' as const,
    present: true,
    autoLinkBlocked: false,
    linkedAt: new Date(clock.epochMs() - hourMs),
    syncs: [],
  };
}

/** The calls that Discord was sent about a guild's members since the last `forgetRequests`, as `METHOD` alone. */
export async function memberWrites(guildId: string): Promise<string[]> {
  const { discord } = await world();
  const writes = discord.requests.filter(
    ({ method, path }) => method !== 'GET' && path.includes(`/guilds/${guildId}/members/`),
  );
  return writes.map(({ method }) => method);
}

/** Waits until a resync passes, and returns its view. Not over the API, which limits requests. */
export function resyncWhere(
  { guild }: TestGuild,
  jobId: string,
  passes: (view: ResyncView) => boolean,
  withinMs?: number,
): Promise<ResyncView> {
  const look = async () => {
    const view = viewResync(await readResync(guild, jobId));
    return passes(view) ? view : undefined;
  };
  return eventually(look, `the resync ${jobId} as expected`, withinMs);
}

/** Waits until a resync is in this state, and gives its view. */
export function resyncIn(guild: TestGuild, jobId: string, state: ResyncView['state']): Promise<ResyncView> {
  return resyncWhere(guild, jobId, (view) => view.state === state);
}

/** Starts a resync and waits until it is completed. */
export async function resync(guild: TestGuild, body: object = {}) {
  const started = await guild.api.post(`${guild.path}/resync`, body);
  expect(started.status).to.equal(202);
  return resyncIn(guild, started.body.jobId, 'completed');
}

export async function rolesOf(guild: TestGuild, person: TestPerson | undefined): Promise<string[] | undefined> {
  const { discord } = await world();
  return discord.member(guild.guildId, person?.chatUserId ?? '')?.roleIds.sort();
}

/** The entries about resyncs in a guild's log, oldest first. */
export async function resyncEntries(guildId: string): Promise<AuditEntry[]> {
  const entries = await latestEntries(guildId, 100);
  return entries.filter(({ action }) => action.startsWith('resync.')).reverse();
}

export function storedChanges(jobId: string): Promise<number> {
  return PlannedChanges.acrossGuilds.countDocuments({ planId: jobId }).exec();
}

/** A resync's planned change for a linked person without roles. */
export function plannedChange(
  { guildId }: TestGuild,
  person: TestPerson,
  { expected, ...change }: Partial<Omit<PlannedChange, 'expected'>> & { expected?: Partial<PlannedChange['expected']> },
): PlannedChange {
  const { chatUserId, username: chatUsername, gameUserId, gameUsername } = person;
  return {
    ...{ _id: new mongoose.Types.ObjectId(), guildId, planId: 'job_000000000000000000000001' },
    ...{ chatUserId, chatUsername, part: 0, blocked: [], kind: 'edit', absentFrom: [] },
    expected: { add: [], remove: [], ...expected },
    ...{ seen: { roleIds: [], nickname: gameUsername }, standing: { gameUserId } },
    ...{ asOf: new Date(), state: 'pending', dueAt: new Date(), ...change },
  };
}
