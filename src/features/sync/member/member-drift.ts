import type { Guild } from '../../../core/guilds/guild-service.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { clock } from '../../../lib/clock.js';
import { logger } from '../../../lib/logger.js';
import { hourMs } from '../../../lib/time.js';
import type { GuildMember } from '../../../platforms/discord/guild-members.js';
import { type Member, Members, nicknameItself } from '../../members/member-model.js';
import { owedSync } from '../../members/owed-syncs.js';
import { readRolesByRules } from '../plan/roles-by-rules.js';

/** A role that was changed back so often within an hour is left as it is from then on. */
const changedBackAtMost = 3;

/** Roles, or the nickname (`nicknameItself`), that differ from what the last sync of a member left. */
interface Drift {
  /** Those that a sync may set again. */
  ours: string[];
  /** Whether a role changed that exempts from rules. */
  isExempting: boolean;
}

/**
 * Discord says how a member is now. Makes a sync pending where mapped roles or the nickname differ from what the last sync
 * left, and where the role is gone that the bot could not rename them for. It runs some seconds later, so that several
 * changes take one. What something has changed back three times within an hour is left so, and health says that.
 */
export async function noteMemberUpdate(guild: Guild, now: GuildMember): Promise<void> {
  const { _id: guildId } = guild;
  const { chatUserId } = now;
  const stored = await Members.findOne({ guildId, chatUserId });
  if (stored === null || !stored.present) return;
  const { ours, isExempting } = await driftOf(guild, stored, now);
  const contested = ours.filter((what) => isContested(stored, what));
  if (contested.length > 0) await noteContested(stored, contested);
  if (contested.length === ours.length && !isExempting && !isNicknameFree(stored, now)) return;
  // A sync that is under way may have read the member before: it does not pay this debt.
  await Members.update({ guildId, chatUserId, present: true }, { $set: owedSync('resync') });
}

async function driftOf(guild: Guild, stored: Member, now: GuildMember): Promise<Drift> {
  const { left, applying, wentBy } = stored;
  if (left === undefined) return { ours: [], isExempting: false };
  const isGiven = (roleId: string) => !left.roleIds.includes(roleId) && !applying?.added.includes(roleId);
  const isTaken = (roleId: string) => !now.roleIds.includes(roleId) && !applying?.removed.includes(roleId);
  const given = now.roleIds.filter(isGiven);
  const taken = left.roleIds.filter(isTaken);
  const nickname = (await isNicknameOurs(stored, now)) ? [nicknameItself] : [];
  if (given.length + taken.length === 0) return { ours: nickname, isExempting: false };
  const { roles, mapped, rulesKey } = await readRolesByRules(guild);
  // A role that is mapped since was held before; the next resync looks at all.
  const isSameRule = wentBy === undefined || wentBy.rulesKey === rulesKey;
  const changed = [...taken, ...(isSameRule ? given : [])].filter((roleId) => roles.has(roleId));
  const ours = changed.filter((roleId) => mapped.has(roleId));
  return { ours: [...ours, ...nickname], isExempting: ours.length < changed.length };
}

/** Whether the nickname is another than the last sync left, and one that syncs set. */
async function isNicknameOurs({ guildId, left, applying, state }: Member, { nickname }: GuildMember): Promise<boolean> {
  if (left === undefined || nickname === left.nickname || nickname === applying?.nickname) return false;
  return state === 'linked' && (await readSettings(guildId)).nickname.enabled;
}

/** Whether the bot could not rename somebody for a role of theirs, which they do not hold any more. */
function isNicknameFree({ blockedBy = [] }: Member, { roleIds }: GuildMember): boolean {
  const waitsFor = blockedBy.find((obstacle) => obstacle.startsWith(`${nicknameItself}:`));
  return waitsFor !== undefined && !roleIds.includes(waitsFor.slice(nicknameItself.length + 1));
}

/** Whether this is at least the third time within an hour that a role, or the nickname, was changed back. */
function isContested({ restored = [] }: Member, what: string): boolean {
  const lately = (at: Date) => Math.abs(clock.epochMs() - at.getTime()) < hourMs;
  return restored.filter((each) => each.what === what && lately(each.at)).length >= changedBackAtMost - 1;
}

async function noteContested({ guildId, chatUserId }: Member, contested: readonly string[]): Promise<void> {
  logger.info({ guildId, chatUserId, contested }, 'something changes a member back again and again');
  await Members.update({ guildId, chatUserId }, { $addToSet: { contested: { $each: [...contested] } } });
}
