import { isDeepStrictEqual } from 'node:util';
import { trusted } from 'mongoose';
import type { Actor } from '../../../core/actors/actor.js';
import { clock } from '../../../lib/clock.js';
import { ChatPlatformUnavailable } from '../../../lib/errors.js';
import type { Lease } from '../../../platforms/database/lease.js';
import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import { type GuildMember, readMember } from '../../../platforms/discord/guild-members.js';
import {
  editMemberInTurn,
  giveRole,
  type MemberWrite,
  setNickname,
  singlesAreQuicker,
  takeRole,
} from '../../../platforms/discord/member-writes.js';
import { refusalWords } from '../../../platforms/discord/rest/discord-call.js';
import { type Member, Members, newcomer, syncedUpTo } from '../../members/member-model.js';
import type { PendingSync, RefusedPart, SyncTrigger, WentBy } from '../../members/member-sync-fields.js';
import { claimMs } from '../../members/pending-syncs.js';
import { upsertSynced } from '../../members/sync-notes.js';
import { hasWork, isSingle, type SyncPlan, withRefusals } from '../plan/plan.js';
import { refusedPartOf, type SyncPart } from '../plan/refused-parts.js';
import { withInterrupted } from './interrupted-sync.js';
import { tellReversed } from './sync-telling.js';

/** Why a member is synced, and on whose behalf; `jobId` where a guild's resync does it. */
export interface SyncCause {
  trigger: SyncTrigger;
  actor: Actor;
  jobId?: string;
  /** Only while the member is owed a sync: another may have paid it. */
  ifOwed?: boolean;
  /** The member as the gateway has just told of their joining: Discord is not asked (SYNC-18). */
  told?: GuildMember;
}

/** What a resync has counted of one member before anything was written (RESYNC-13). */
export interface CountedChange {
  /** The member on Discord as the plan saw them; left out where a killed sync may have changed them. */
  seen: GuildMember | undefined;
  /** They are read before a single role is written, too: that was long ago, or nothing else may be true of them. */
  mustRead: boolean;
  /** What of a plan for the member of `now` may be done, so that it is no more than was counted. */
  limit(plan: SyncPlan, now: GuildMember): SyncPlan;
}

/** What is to be made of one member, by a sync of their own or a guild's resync. */
export interface MemberChange {
  guildId: string;
  chatUserId: string;
  /** As stored when their lease was taken; null: not known. */
  stored: Member | null;
  /** The linked game account that was planned for. */
  gameUserId: string | null;
  cause: SyncCause;
  /** The facts that it was planned from; left out where they leave doubts, so that no later fact is compared with them. */
  wentBy?: WentBy | undefined;
  /** They leave doubts: the sync stays owed until what it decides is known. */
  isPutOff?: boolean;
  /** The roles that count by the guild's rules. */
  roles?: ReadonlySet<string>;
  /** Owed from the first write on, and paid by the note. A resync owes none: its job goes on by itself. */
  debt?: PendingSync;
  /** Whether the debt may be stored before that. */
  isOwed?: boolean;
  /** The member's, under which it is made. */
  lease: Pick<Lease, 'fence' | 'requireHeld'>;
  /**
   * Discord has refused the whole, though nothing stood in the way by these facts: its parts are made one by one, and
   * what is refused still is blocked (SYNC-27).
   */
  byParts?: GuildFacts | undefined;
  /** What is to be done for the member as Discord says they are at the time of the write. */
  dueFor(now: GuildMember): SyncPlan;
}

/** What was done to a member, and how they were before. */
export interface MadeChange {
  member: GuildMember;
  plan: SyncPlan;
  /** The nickname that Discord was asked for, where it has made the plan's of it. */
  askedNickname?: string;
}

/**
 * Writes to Discord what is due for a member, with the fewest calls that cannot lose anything (SYNC-14): nothing to do
 * costs none; one role is one atomic PUT or DELETE; anything more is one PATCH of the member as read in its turn, so
 * that it undoes nothing that others do while it waits. Up to three roles go one by one while a PATCH would have to
 * wait for its rate limit, and those of somebody who has just joined always, with the nickname by itself: so nothing is
 * undone that others do meanwhile, and nobody has to be read. To be called under the member's lease, with the member as last `seen`. Gives what was done,
 * with what an interrupted try before had done; null when the person is not in the guild.
 * Throws Conflict `lease_lost` when the lease is over, DiscordForbids, GoneFromDiscord, ChatPlatformUnavailable.
 */
export async function makeChange(change: MemberChange, seen: GuildMember): Promise<MadeChange | null> {
  const { guildId, chatUserId } = change;
  const plan = change.dueFor(seen);
  if (!hasWork(plan) || isSingle(plan) || change.byParts !== undefined) return makeSingly(change, seen);
  if (change.cause.told === seen && plan.add.length + plan.remove.length <= mostSingles)
    return makeSingly(change, seen);
  if (!goesSingly(guildId, plan)) return makeInTurn(change);
  const now = await readMember(guildId, chatUserId);
  if (now === null) return null;
  return change.dueFor(now).nickname === undefined ? makeSingly(change, now) : makeInTurn(change);
}

/** So many roles are rather changed one by one than by an edit that has to wait for its rate limit. */
const mostSingles = 3;

function goesSingly(guildId: string, { add, remove, nickname }: SyncPlan): boolean {
  if (nickname !== undefined || add.length + remove.length > mostSingles) return false;
  return singlesAreQuicker(guildId, { add: add.length, remove: remove.length });
}

/** Role by role, each atomic on Discord's side, and the nickname by itself. */
async function makeSingly(change: MemberChange, member: GuildMember): Promise<MadeChange> {
  const { guildId, chatUserId, stored } = change;
  const plan = change.dueFor(member);
  const made = withInterrupted(member, plan, stored?.applying);
  if (hasWork(plan)) await tellReversed(change, member, plan);
  if (hasWork(plan)) await beginChange(change, made);
  const parts = new Parts(change.byParts);
  for (const roleId of plan.add)
    await parts.make({ part: 'give', roleId }, () => giveRole(guildId, chatUserId, roleId, writeOf(change)));
  for (const roleId of plan.remove)
    await parts.make({ part: 'take', roleId }, () => takeRole(guildId, chatUserId, roleId, writeOf(change)));
  const { nickname } = plan;
  if (nickname === undefined) return parts.madeOf(made);
  const named = await parts.make({ part: 'nickname', nickname, member }, () =>
    setNickname(guildId, chatUserId, nickname, writeOf(change)),
  );
  return parts.madeOf(named === undefined ? made : withAnswer(made, named));
}

/** The parts of a change, each made by itself; by these `facts` a refusal of one is kept and leaves the others alone. */
class Parts {
  readonly #refused: RefusedPart[] = [];

  constructor(readonly facts: GuildFacts | undefined) {}

  async make<T>(part: SyncPart, write: () => Promise<T>): Promise<T | undefined> {
    try {
      return await write();
    } catch (error) {
      const words = refusalWords(error);
      if (words === null || this.facts === undefined) throw error;
      this.#refused.push(refusedPartOf(part, words, this.facts));
      return undefined;
    }
  }

  madeOf(made: MadeChange): MadeChange {
    return { ...made, plan: withRefusals(made.plan, this.#refused) };
  }
}

async function makeInTurn(change: MemberChange): Promise<MadeChange | null> {
  const { guildId, chatUserId, stored } = change;
  const turn: { made: MadeChange | null; begun?: SyncPlan } = { made: null };
  const decide = async (now: GuildMember | null) => {
    if (now === null) return null;
    const plan = change.dueFor(now);
    turn.made = withInterrupted(now, plan, stored?.applying);
    if (!hasWork(plan)) return null;
    if (turn.begun === undefined) await tellReversed(change, now, plan);
    if (!isDeepStrictEqual(turn.begun, turn.made.plan)) await beginChange(change, turn.made);
    turn.begun = turn.made.plan;
    const { add, remove, nickname } = plan;
    const roleIds = [...now.roleIds.filter((roleId) => !remove.includes(roleId)), ...add];
    return { ...(add.length + remove.length > 0 && { roleIds }), ...(nickname !== undefined && { nickname }) };
  };
  const after = await editMemberInTurn(guildId, chatUserId, decide, writeOf(change));
  if (after === null || turn.made === null) return turn.made;
  requireApplied(after, turn.made.plan);
  return withAnswer(turn.made, after);
}

/** Discord trims a nickname, and leaves out characters that can't be seen: what it answers is what was given. */
function withAnswer(made: MadeChange, { nickname }: GuildMember): MadeChange {
  const { nickname: asked } = made.plan;
  if (typeof asked !== 'string' || asked === nickname) return made;
  return { ...made, plan: { ...made.plan, nickname }, askedNickname: asked };
}

/**
 * Keeps with the member, before Discord is asked, what is about to be done, and owes the sync unless one is owed already.
 * Until Discord has taken a new nickname the one before is ours: one that a killed process gave is noted as ours first. So what a killed process has done is found,
 * and told of, by whoever syncs the member next. Throws Conflict `lease_lost` when somebody has synced them since.
 */
export async function beginChange(
  { guildId, stored, debt, lease: { fence } }: MemberChange,
  { member, plan }: MadeChange,
): Promise<void> {
  const { chatUserId, nickname: formerNickname } = member;
  const { add: added, remove: removed, nickname } = plan;
  const applying = { added, removed, formerNickname, ...(nickname !== undefined && { nickname }) };
  const isTaken = typeof formerNickname === 'string' && stored?.applying?.nickname === formerNickname;
  const begun = { applying, syncFence: fence, ...(isTaken && { givenNickname: formerNickname }) };
  const former = isTaken ? { $unset: { askedNickname: 1 } } : {};
  const owed = debt && { owedSync: { ...debt, dueAt: new Date(clock.epochMs() + claimMs) } };
  if (owed !== undefined && stored !== null && stored.owedSync === undefined) {
    const free = { guildId, chatUserId, owedSync: trusted({ $exists: false }), ...syncedUpTo(fence) };
    if ((await Members.update(free, { $set: { ...begun, ...owed }, ...former })) !== null) return;
  }
  const unknown = { ...newcomer(member), present: true, ...owed };
  await upsertSynced({ guildId, chatUserId }, fence, { $set: begun, ...former, $setOnInsert: unknown });
}

/** Throws ChatPlatformUnavailable when Discord has answered an edit with other roles than it was asked for. */
function requireApplied(after: GuildMember, { add, remove }: SyncPlan): void {
  const held = new Set(after.roleIds);
  if (add.every((roleId) => held.has(roleId)) && !remove.some((roleId) => held.has(roleId))) return;
  throw new ChatPlatformUnavailable('Discord answered with other roles than those asked for.');
}

/** Nothing is sent once the member's lease may be somebody else's. */
function writeOf({ cause, lease }: MemberChange): MemberWrite {
  return { reason: reasonOf(cause), beforeSending: () => lease.requireHeld() };
}

/** What Discord's audit log is told (X-Audit-Log-Reason takes 512 characters). */
function reasonOf({ trigger, actor, jobId }: SyncCause): string {
  const job = jobId === undefined ? '' : ` ${jobId}`;
  const by = actor.kind === 'system' ? '' : ` by ${actor.name || actor.id}`;
  return `Rolelink ${trigger}${job}${by}`.slice(0, 512);
}
