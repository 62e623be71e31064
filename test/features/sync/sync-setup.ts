import { config } from '../../../src/config/config.js';
import { systemActor } from '../../../src/core/actors/actor.js';
import { addGroup } from '../../../src/core/groups/group-service.js';
import { defaultSettings, type GuildSettings } from '../../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../../src/core/settings/settings-service.js';
import type { Condition } from '../../../src/features/mappings/condition.js';
import { mappingDraft } from '../../../src/features/mappings/mapping-draft.js';
import { createMapping } from '../../../src/features/mappings/mapping-service.js';
import { Members } from '../../../src/features/members/member-model.js';
import { findMember, getMember } from '../../../src/features/members/member-service.js';
import type { PendingSync } from '../../../src/features/members/member-sync-fields.js';
import { claimMs } from '../../../src/features/members/pending-syncs.js';
import { runDueSyncs } from '../../../src/features/sync/member/background-syncs.js';
import { syncMember } from '../../../src/features/sync/member/member-sync.js';
import { requireThere, type SyncOutcome } from '../../../src/features/sync/member/sync-result.js';
import { clock } from '../../../src/lib/clock.js';
import { AppError } from '../../../src/lib/errors.js';
import { configureRoblox, type RobloxConfig } from '../../../src/platforms/roblox/roblox-config.js';
import { runPendingSyncs } from '../../support/background.js';
import {
  buildGuild,
  buildMember,
  eventually,
  linkPerson,
  type TestGuild,
  type TestPerson,
} from '../../support/build.js';
import { world } from '../../support/world.js';

const test = systemActor('test');

/** A guild with a Roblox group attached: Member 1, Officer 100, Owner 255. */
export interface GroupGuild extends TestGuild {
  groupId: string;
}

export async function buildGroupGuild(): Promise<GroupGuild> {
  const { roblox } = await world();
  const guild = await buildGuild();
  const { id: groupId } = roblox.addGroup({ name: `Group of ${guild.guildId}` });
  await addGroup(guild.guild, test, groupId);
  return { ...guild, groupId };
}

/** The guild's new role, by its id. */
export async function addRole(guild: TestGuild, input: { name?: string; position?: number } = {}): Promise<string> {
  const { discord } = await world();
  return discord.addRole(guild.guildId, { name: 'Role', ...input }).id;
}

/** A mapping to new roles (one when left out); gives their ids. */
export async function mapTo(
  guild: TestGuild,
  condition: Condition,
  options: { roles?: number; roleIds?: string[]; removeWhenUnmatched?: boolean } = {},
): Promise<string[]> {
  const { roles = 1, removeWhenUnmatched = true } = options;
  const names = Array.from({ length: roles }, (_, n) => ({ name: `${condition.type} ${n}` }));
  const roleIds = options.roleIds ?? (await Promise.all(names.map((name) => addRole(guild, name))));
  // The gateway reports new roles; the mapping is refused until it has.
  await eventually(async () => {
    try {
      const draft = mappingDraft.parse({ condition, roleIds, removeWhenUnmatched });
      return await createMapping(guild.guild, test, draft);
    } catch (error) {
      if (error instanceof AppError) return null;
      throw error;
    }
  }, 'the mapping');
  return roleIds;
}

/** A condition for holders of at least this rank in the guild's group. */
export const rankFrom = (guild: GroupGuild, min: number): Condition => ({
  type: 'group_rank',
  groupId: guild.groupId,
  min,
  max: 255,
});

/** Changes the guild's settings, from the defaults. */
export function setSettings({ guildId }: TestGuild, change: Partial<GuildSettings>): Promise<void> {
  return writeSettings(guildId, { ...defaultSettings, ...change });
}

/** Roles alone: a nickname would turn each change into a PATCH. */
export const withoutNicknames = (guild: TestGuild): Promise<void> =>
  setSettings(guild, { nickname: { ...defaultSettings.nickname, enabled: false } });

/** Syncs as a system command would. */
export async function sync(guild: TestGuild, { chatUserId }: Pick<TestPerson, 'chatUserId'>): Promise<SyncOutcome> {
  return requireThere(await syncMember(guild.guild, chatUserId, { trigger: 'command', actor: test }));
}

export async function rolesOf({ guildId }: TestGuild, { chatUserId }: Pick<TestPerson, 'chatUserId'>) {
  const { discord } = await world();
  return discord.member(guildId, chatUserId)?.roleIds;
}

/** The writing calls about guild members since the requests were last forgotten: `PUT <person>/roles/<role>`. */
export async function memberWrites({ guildId }: TestGuild): Promise<string[]> {
  const { discord } = await world();
  const base = `/api/v10/guilds/${guildId}/members/`;
  return discord.requests
    .filter(({ method, path }) => method !== 'GET' && path.startsWith(base))
    .map(({ method, path }) => `${method} ${path.slice(base.length)}`);
}

/** As `buildMember`, once their joining's sync is done too. */
export async function buildSettledMember(
  guild: TestGuild,
  options: NonNullable<Parameters<typeof buildMember>[1]> = {},
): Promise<TestPerson> {
  const { guildId } = guild;
  const person = await buildMember(guild, { ...options, linked: false });
  await eventually(async () => {
    await runPendingSyncs(guildId);
    const member = await findMember(guildId, person.chatUserId);
    return member?.syncs.some(({ trigger }) => trigger === 'join') && member.owedSync === undefined;
  }, 'the sync of joining');
  if (options.linked ?? true) await linkPerson(guildId, person);
  await eventually(async () => {
    await runPendingSyncs(guildId);
    return (await findMember(guildId, person.chatUserId))?.owedSync === undefined;
  }, 'the sync of linking');
  return person;
}

export async function pendingSyncOf(
  { guildId }: TestGuild,
  { chatUserId }: TestPerson,
): Promise<PendingSync | undefined> {
  return (await getMember(guildId, chatUserId)).owedSync;
}

export async function lastSyncOf({ guildId }: TestGuild, { chatUserId }: Pick<TestPerson, 'chatUserId'>) {
  return (await getMember(guildId, chatUserId)).syncs.at(-1);
}

/** Makes the member's pending sync due, and lets the job run it. */
export async function retryNow(guild: TestGuild, person: TestPerson): Promise<void> {
  const { guildId } = guild;
  const { chatUserId } = person;
  const due = await Members.update({ guildId, chatUserId }, { $set: { 'owedSync.dueAt': new Date(0) } });
  if (due?.owedSync?.id === undefined) throw new Error('nothing is owed');
  await runDueSyncs(new AbortController().signal);
  // The standing job may have been quicker to take it, and is at it still.
  const { id, attempts } = due.owedSync;
  await eventually(async () => {
    const now = await pendingSyncOf(guild, person);
    const rests = now !== undefined && now.dueAt.getTime() > clock.epochMs() + 2 * claimMs;
    return now?.id !== id || now.attempts !== attempts || rests;
  }, 'the retry');
}

/** Asks Roblox under another configuration, with empty caches and closed breakers, until the given function is called. */
export function reconfigureRoblox(change: Partial<RobloxConfig> = {}): () => void {
  const usual = config().roblox;
  configureRoblox({ ...usual, ...change });
  return () => configureRoblox(usual);
}

/** A call's refusal; fails without one. */
export async function refusal(call: Promise<unknown>): Promise<AppError> {
  const outcome = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (outcome instanceof AppError) return outcome;
  throw outcome ?? new Error('the call was not refused');
}
