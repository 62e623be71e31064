import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import { editMemberInTurn, type GuildMember, readMember } from '../../../platforms/discord/guild-members.js';
import { roleObstacle } from '../../../platforms/discord/role-hierarchy.js';
import { type Member, Members } from '../../members/member-model.js';
import { keepGivenNickname, markAbsent } from '../../members/member-service.js';
import { reasonOf, recordSync, type SyncCause } from '../member/sync-record.js';
import { applyPlan, editFor, requireApplied } from '../plan/apply-plan.js';
import { hasWork, type SyncPlan } from '../plan/plan.js';
import type { ResyncChange } from './resync-change-model.js';

/** What became of one change. `blocked` is what stood in its way, from the start or by now. */
export interface ChangeOutcome {
  state: 'done' | 'skipped';
  blocked: SyncPlan['blocked'];
}

export interface ChangeOptions {
  facts: GuildFacts;
  cause: SyncCause;
  /** It may have been made already, by a try whose outcome is not known. */
  uncertain: boolean;
  /** Only for who is on Discord as the plan saw them. */
  onlyAsSeen: boolean;
}

/**
 * Writes one planned change, if it still holds, in one call (SPEC §6.3). To be called under the member's lease. Skipped:
 * who was synced or whose link changed since the facts of the plan were read, who left, and who is in step by now.
 * Throws DiscordForbids, GoneFromDiscord, ChatPlatformUnavailable.
 */
export async function applyChange(change: ResyncChange, options: ChangeOptions): Promise<ChangeOutcome> {
  const { guildId, chatUserId } = change;
  const plan = possibleNow(change, options.facts);
  const { blocked } = plan;
  const stored = await Members.findOne({ guildId, chatUserId });
  if (isMade(change, stored)) return { state: 'done', blocked };
  if (isOvertaken(change, stored)) return { state: 'skipped', blocked };
  const making = { change, plan, options };
  const made = isSingle(plan) ? await makeSingle(making) : await makeSeveral(making);
  if (made === null) return { state: 'skipped', blocked };
  const { gameUserId } = change.standing;
  await recordSync({ guildId, ...made, stored, gameUserId, game: null }, options.cause);
  return { state: 'done', blocked };
}

interface Making {
  change: ResyncChange;
  plan: SyncPlan;
  options: ChangeOptions;
}

/** What was changed, and of whom as they were before. */
interface Made {
  member: GuildMember;
  plan: SyncPlan;
}

/** One role: atomic on Discord's side, so that the member need not be read first. */
async function makeSingle(making: Making): Promise<Made | null> {
  const { change, options } = making;
  const { guildId, chatUserId } = change;
  const mustRead = options.uncertain || options.onlyAsSeen;
  const member = mustRead ? await readMember(guildId, chatUserId) : asSeen(change);
  const due = await dueNow(making, member);
  if (member === null || due === null) return null;
  if (!hasWork(due)) return madeBefore(making);
  await applyPlan(guildId, member, due, reasonOf(options.cause));
  return { member, plan: due };
}

async function makeSeveral(making: Making): Promise<Made | null> {
  const { guildId, chatUserId } = making.change;
  let made: Made | null = null;
  const decide = async (member: GuildMember | null) => {
    const due = await dueNow(making, member);
    if (member === null || due === null) return null;
    made = !hasWork(due) ? madeBefore(making) : { member, plan: due };
    if (!hasWork(due)) return null;
    if (typeof due.nickname === 'string') await keepGivenNickname(guildId, chatUserId, due.nickname);
    return editFor(member, due);
  };
  const after = await editMemberInTurn(guildId, chatUserId, decide, reasonOf(making.options.cause));
  if (after !== null) requireApplied(after, making.plan);
  return made;
}

/** What is left to be done for a member as they are now; null when they are to be left alone. */
async function dueNow({ change, plan, options }: Making, member: GuildMember | null): Promise<SyncPlan | null> {
  if (member === null) {
    await markAbsent(change.guildId, change.chatUserId);
    return null;
  }
  const due = remaining(plan, member);
  if (!hasWork(due)) return options.uncertain && hasWork(plan) ? due : null;
  return options.onlyAsSeen && !isAsSeen(member, change) ? null : due;
}

/** When all that a try of unknown outcome wanted is true now, it was us. */
const madeBefore = ({ change, plan }: Making): Made => ({ member: asSeen(change), plan });

const asSeen = ({ chatUserId, chatUsername, seen }: ResyncChange): GuildMember => ({
  chatUserId,
  username: chatUsername,
  ...seen,
});

/** The plan without the roles that the bot cannot give or take any more: a role was moved or deleted meanwhile. */
function possibleNow(change: ResyncChange, facts: GuildFacts): SyncPlan {
  const { add, remove, nickname } = change;
  const blocked = [...add, ...remove].flatMap((roleId) => {
    const reason = roleObstacle(facts, roleId);
    return reason === null ? [] : [{ roleId, reason }];
  });
  const possible = (roleId: string): boolean => blocked.every((block) => block.roleId !== roleId);
  return {
    add: add.filter(possible),
    remove: remove.filter(possible),
    nickname,
    blocked: [...change.blocked, ...blocked],
    nicknameBlocked: null,
  };
}

/** Whether this very change is written down already: the process was killed before it could say so of the change. */
function isMade({ _id, asOf }: ResyncChange, member: Member | null): boolean {
  const last = member?.syncs.at(-1);
  if (last === undefined || last.trigger !== 'resync' || last.error !== undefined) return false;
  return last.at > asOf && last.at > _id.getTimestamp();
}

/** Whether somebody else has synced the member from newer facts, or has to: then theirs counts (SPEC §6.5). */
function isOvertaken({ standing, asOf }: ResyncChange, member: Member | null): boolean {
  const lastSync = member?.syncs.at(-1)?.at;
  if (lastSync !== undefined && lastSync > asOf) return true;
  if (member?.applying !== undefined && member.owedSync !== undefined) return true;
  return (member?.state ?? null) !== standing.state || (member?.gameUserId ?? null) !== standing.gameUserId;
}

function remaining(plan: SyncPlan, { roleIds, nickname }: GuildMember): SyncPlan {
  return {
    ...plan,
    add: plan.add.filter((roleId) => !roleIds.includes(roleId)),
    remove: plan.remove.filter((roleId) => roleIds.includes(roleId)),
    nickname: plan.nickname === nickname ? undefined : plan.nickname,
  };
}

const isSingle = ({ add, remove, nickname }: SyncPlan): boolean =>
  add.length + remove.length === 1 && nickname === undefined;

function isAsSeen({ roleIds, nickname }: GuildMember, { seen }: ResyncChange): boolean {
  const sameRoles = roleIds.length === seen.roleIds.length && roleIds.every((roleId) => seen.roleIds.includes(roleId));
  return sameRoles && nickname === seen.nickname;
}
