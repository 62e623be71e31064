import { findPresentGuild, type Guild } from '../../../core/guilds/guild-service.js';
import { orReconcile } from '../../../core/guilds/missed-events.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { clock } from '../../../lib/clock.js';
import { inPieces } from '../../../lib/in-pieces.js';
import { logger } from '../../../lib/logger.js';
import { hourMs } from '../../../lib/time.js';
import type { GuildMember } from '../../../platforms/discord/guild-members.js';
import { type Member, Members } from '../../members/member-model.js';
import { findMember } from '../../members/member-service.js';
import { nicknameItself } from '../../members/member-sync-fields.js';
import { pendingSync } from '../../members/pending-syncs.js';
import { readRolesByRules } from '../plan/roles-by-rules.js';

/** Changes back within an hour after which a role is left alone. */
const changedBackAtMost = 3;

/** Changes within this time are checked together. */
const batchedMs = 2_000;

const checkedTogether = 100;

/** A member changed on Discord, in the latest event's state. */
interface ChangedMember {
  guildId: string;
  current: () => GuildMember;
}

/** The unchecked members that were changed on Discord, by guild and person. */
const changed = new Map<string, ChangedMember>();
let timer: NodeJS.Timeout | undefined;

/**
 * Schedules checking a member with changed roles or nickname. After a kill the next process begins with a
 * reconciliation.
 */
export function memberChanged(guildId: string, current: () => GuildMember): void {
  changed.set(`${guildId} ${current().chatUserId}`, { guildId, current });
  timer ??= setTimeout(() => void checkChanged(), batchedMs).unref();
}

/** Checks all changed members. Never throws: if a check fails, that guild's reconciliation is enqueued. */
export async function checkChanged(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  const members = [...changed.values()];
  changed.clear();
  // Members in one batch share their reads.
  for (const some of inPieces(members, checkedTogether)) await Promise.all(some.map(checkMember));
}

async function checkMember({ guildId, current }: ChangedMember): Promise<void> {
  const note = async () => {
    const guild = await findPresentGuild(guildId);
    if (guild?.state === 'active') await noteMemberUpdate(guild, current);
  };
  await orReconcile(guildId, note).catch((err: unknown) => logger.warn({ err, guildId }, 'changed member not checked'));
}

/** Roles, or the nickname (`nicknameItself`), that differ from a member's last sync result. */
interface Drift {
  /** The parts that a sync may set again. */
  ours: string[];
  /** Whether a role changed that exempts from rules. */
  isExempting: boolean;
}

/**
 * Compares a member's present state (`current`: by the latest event) with the last sync's result. Enqueues a sync if
 * mapped roles or the nickname differ, or if the role is gone that kept the bot from renaming them. It runs some
 * seconds later, so that several changes take one sync. A part that was changed back three times within an hour is left
 * unchanged, and the guild's health reports it.
 */
async function noteMemberUpdate(guild: Guild, current: () => GuildMember): Promise<void> {
  const { _id: guildId } = guild;
  const { chatUserId } = current();
  const stored = await findMember(guildId, chatUserId);
  if (stored === null || !stored.present) return;
  const { ours, isExempting } = await driftOf(guild, stored, current);
  const now = current();
  const contested = ours.filter((what) => isContested(stored, what));
  if (contested.length > 0) await noteContested(stored, contested);
  if (contested.length === ours.length && !isExempting && !isNicknameFree(stored, now)) return;
  // A running sync may have read the member before the change, so it does not complete this pending sync.
  await Members.update({ guildId, chatUserId, present: true }, { $set: pendingSync('resync') });
}

async function driftOf(guild: Guild, stored: Member, current: () => GuildMember): Promise<Drift> {
  const { wentBy } = stored;
  const mayBe = changedRoles(stored, current());
  const nickname = (await isNicknameOurs(stored, current)) ? [nicknameItself] : [];
  if (mayBe.given.length + mayBe.taken.length === 0) return { ours: nickname, isExempting: false };
  const { roles, mapped, rulesKey } = await readRolesByRules(guild);
  const { given, taken } = changedRoles(stored, current());
  // A role mapped since then may have been held before; the next resync checks everything.
  const isSameRule = wentBy === undefined || wentBy.rulesKey === rulesKey;
  const changed = [...taken, ...(isSameRule ? given : [])].filter((roleId) => roles.has(roleId));
  const ours = changed.filter((roleId) => mapped.has(roleId));
  return { ours: [...ours, ...nickname], isExempting: ours.length < changed.length };
}

/** The roles that differ from the last sync's result, without those that a running sync is changing. */
function changedRoles({ left, applying }: Member, now: GuildMember): { given: string[]; taken: string[] } {
  if (left === undefined) return { given: [], taken: [] };
  const isGiven = (roleId: string) => !left.roleIds.includes(roleId) && !applying?.added.includes(roleId);
  const isTaken = (roleId: string) => !now.roleIds.includes(roleId) && !applying?.removed.includes(roleId);
  return { given: now.roleIds.filter(isGiven), taken: left.roleIds.filter(isTaken) };
}

/** Whether the nickname differs from the last sync's result, and is one that syncs set. */
async function isNicknameOurs(stored: Member, current: () => GuildMember): Promise<boolean> {
  const { guildId, left, applying, state } = stored;
  const differs = ({ nickname }: GuildMember) => nickname !== left?.nickname && nickname !== applying?.nickname;
  if (left === undefined || state !== 'linked' || !differs(current())) return false;
  return (await readSettings(guildId)).nickname.enabled && differs(current());
}

/** Whether the bot could not rename a member because of a role that they no longer hold. */
function isNicknameFree({ blockedBy = [] }: Member, { roleIds }: GuildMember): boolean {
  const waitsFor = blockedBy.find((obstacle) => obstacle.startsWith(`${nicknameItself}:`));
  return waitsFor !== undefined && !roleIds.includes(waitsFor.slice(nicknameItself.length + 1));
}

/** Whether a role, or the nickname, was changed back at least three times within an hour. */
function isContested({ restored = [] }: Member, what: string): boolean {
  const lately = (at: Date) => Math.abs(clock.epochMs() - at.getTime()) < hourMs;
  return restored.filter((each) => each.what === what && lately(each.at)).length >= changedBackAtMost - 1;
}

async function noteContested({ guildId, chatUserId }: Member, contested: readonly string[]): Promise<void> {
  logger.info({ guildId, chatUserId, contested }, 'another program keeps reversing changes to a member');
  await Members.update({ guildId, chatUserId }, { $addToSet: { contested: { $each: [...contested] } } });
}
