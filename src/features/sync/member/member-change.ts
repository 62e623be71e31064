import { isDeepStrictEqual } from 'node:util';
import { trusted } from 'mongoose';
import type { Actor } from '../../../core/actors/actor.js';
import { clock } from '../../../lib/clock.js';
import { ChatPlatformUnavailable } from '../../../lib/errors.js';
import { updateOneDirectly } from '../../../platforms/database/direct-writes.js';
import type { Lease } from '../../../platforms/database/lease.js';
import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import { type GuildMember, readMember, rolesSeenByGateway } from '../../../platforms/discord/guild-members.js';
import {
  editMemberInTurn,
  giveRole,
  type MemberWrite,
  setNickname,
  singlesAreQuicker,
  takeRole,
} from '../../../platforms/discord/member-writes.js';
import { isRefusedByDiscord } from '../../../platforms/discord/rest/call-outcome.js';
import { refusalWords } from '../../../platforms/discord/rest/discord-call.js';
import { type Member, Members, newcomer, syncedUpTo, unbegun } from '../../members/member-model.js';
import type { PendingSync, RefusedPart, SyncTrigger, WentBy } from '../../members/member-sync-fields.js';
import { claimMs } from '../../members/pending-syncs.js';
import { upsertSynced } from '../../members/sync-notes.js';
import type { RanksRead } from '../plan/member-state.js';
import { hasWork, isSingle, type SyncPlan, withRefusals } from '../plan/plan.js';
import { refusedPartOf, type SyncPart } from '../plan/refused-parts.js';
import type { SeenMember } from '../plan/seen-member.js';
import { type Due, type DuePlan, dueFor } from './due-change.js';
import { withInterrupted } from './interrupted-sync.js';
import { reportReversed } from './sync-telling.js';
import { type Gate, passGate, uncount } from './write-gate.js';

/** The reason for a sync, and its actor; `jobId` if a guild's resync does it. */
export interface SyncCause {
  trigger: SyncTrigger;
  actor: Actor;
  jobId?: string;
  /** Only if the member has a pending sync: another process may have completed it. */
  ifPending?: boolean;
  /** Only if the member is linked; else `notLinked` is returned. */
  ifLinked?: boolean;
  /** The member from the gateway's join event: Discord is not asked (SYNC-18). */
  gatewayMember?: GuildMember;
  /** Their ranks as a change of a rank has left them: Roblox is not asked (RANKING-11). */
  ranksRead?: RanksRead;
}

/** One member's change, by their own sync or a guild's resync. */
export interface MemberChange {
  guildId: string;
  chatUserId: string;
  /** The stored member when their lease was taken; null: unknown. */
  stored: Member | null;
  /** The linked game account when planned. */
  gameUserId: string | null;
  cause: SyncCause;
  /** The plan's basis; absent if it leaves doubts, so that no later fact is compared with it. */
  wentBy?: WentBy | undefined;
  /** Whether the basis leaves doubts: the sync stays pending until the missing facts are known. */
  isPutOff?: boolean;
  /** The roles that matter to the guild's rules. */
  roles?: ReadonlySet<string>;
  /**
   * The sync that is pending from the first write on, until the result is stored. A resync has none, since its job
   * continues.
   */
  pending?: PendingSync;
  /** Whether the pending sync may be stored already. */
  isPending?: boolean;
  /** The member's lease, under which the change is made. */
  lease: Pick<Lease, 'fence' | 'requireHeld'>;
  /**
   * The facts about a change that Discord has refused as a whole without a known obstacle. Its parts are made one by
   * one, and refused parts are blocked (SYNC-27).
   */
  byParts?: GuildFacts | undefined;
  /** The facts by which it was planned, which the gate at the write compares with that moment's. */
  gate: Gate;
  due: Due;
}

/** A member's completed changes, and the member before them. */
export interface MadeChange {
  member: SeenMember;
  plan: DuePlan;
  /** The requested nickname, if Discord has turned it into the plan's. */
  askedNickname?: string;
}

/**
 * Writes a member's due changes to Discord, with the fewest calls that cannot lose anything (SYNC-14). No change costs
 * no call. One role is one atomic PUT or DELETE. More is one PATCH to the member as read in its turn, so that it undoes
 * no other change from the wait. Up to three roles go one by one if a PATCH would have to wait for its rate limit.
 * After a join they always go one by one, with a separate nickname, since nobody has to be read then. Call it under the
 * member's lease, with the member as last `seen`. Returns the changes, including an interrupted try's; null if the
 * person is not in the guild. Throws Conflict `lease_lost` if the lease is over, DiscordForbids, GoneFromDiscord,
 * ChatPlatformUnavailable.
 */
export async function makeChange(change: MemberChange, seen: SeenMember): Promise<MadeChange | null> {
  const made = await writeChange(change, seen);
  if (made === null || made.plan.remove.length === 0) await uncount(change);
  return made;
}

async function writeChange(change: MemberChange, seen: SeenMember): Promise<MadeChange | null> {
  const { guildId, chatUserId } = change;
  const plan = dueFor(change.due, seen);
  if (!hasWork(plan) || isSingle(plan) || change.byParts !== undefined) return makeSingly(change, seen);
  if (change.cause.gatewayMember === seen && plan.add.length + plan.remove.length <= mostSingles)
    return makeSingly(change, seen);
  if (!goesSingly(guildId, plan)) return makeInTurn(change);
  const now = await readMember(guildId, chatUserId);
  if (now === null) return null;
  return dueFor(change.due, now).nickname === undefined ? makeSingly(change, now) : makeInTurn(change);
}

/** Up to this number of roles is changed one by one if an edit would have to wait for its rate limit. */
const mostSingles = 3;

function goesSingly(guildId: string, { add, remove, nickname }: SyncPlan): boolean {
  if (nickname !== undefined || add.length + remove.length > mostSingles) return false;
  return singlesAreQuicker(guildId, { add: add.length, remove: remove.length });
}

/** Changes role by role, each atomic on Discord's side, and the nickname separately. */
async function makeSingly(change: MemberChange, member: SeenMember): Promise<MadeChange> {
  const { guildId, chatUserId, stored } = change;
  const plan = dueFor(change.due, member);
  const made = withInterrupted(member, plan, stored?.applying);
  if (hasWork(plan)) await reportReversed(change, member, plan);
  if (hasWork(plan)) await beginChange(change, made);
  const parts = new Parts(change, made);
  for (const roleId of plan.add)
    await parts.make({ part: 'give', roleId }, () => giveRole(guildId, chatUserId, roleId, writeOf(change, never)));
  for (const roleId of plan.remove)
    await parts.make({ part: 'take', roleId }, () => takeRole(guildId, chatUserId, roleId, writeOf(change, always)));
  const { nickname } = plan;
  if (nickname === undefined) return parts.madeOf(made);
  const named = await parts.make({ part: 'nickname', nickname, member }, () =>
    setNickname(guildId, chatUserId, nickname, writeOf(change, never)),
  );
  return parts.madeOf(named === undefined ? made : withAnswer(made, named));
}

/**
 * A change's parts, each made separately. With `byParts`, one part's refusal is stored and does not stop the others.
 */
class Parts {
  readonly #refused: RefusedPart[] = [];
  readonly #made: SyncPart[] = [];

  constructor(
    readonly change: MemberChange,
    readonly whole: MadeChange,
  ) {}

  async make<T>(part: SyncPart, write: () => Promise<T>): Promise<T | undefined> {
    const { byParts: facts } = this.change;
    try {
      const answer = await write();
      this.#made.push(part);
      return answer;
    } catch (error) {
      const words = refusalWords(error);
      if (words === null || facts === undefined) {
        if (isNotMade(error)) await narrowBegun(this.change, this.whole, this.#made);
        throw error;
      }
      this.#refused.push(refusedPartOf(part, words, facts));
      return undefined;
    }
  }

  madeOf(made: MadeChange): MadeChange {
    return { ...made, plan: withRefusals(made.plan, this.#refused) };
  }
}

interface Turn {
  made: MadeChange | null;
  /** Whether the edit that is sent next takes a role. */
  takes: boolean;
  begun?: SyncPlan;
  singly?: GuildMember;
}

async function makeInTurn(change: MemberChange): Promise<MadeChange | null> {
  const { guildId, chatUserId, stored } = change;
  const turn: Turn = { made: null, takes: false };
  const decide = async (now: GuildMember | null, isDoubtful: boolean) => {
    if (now === null) return null;
    const plan = dueFor(change.due, now);
    if (isDoubtful && plan.add.length + plan.remove.length <= mostSingles) {
      turn.singly = now;
      return null;
    }
    turn.made = withInterrupted(now, plan, stored?.applying);
    if (!hasWork(plan)) return null;
    if (turn.begun === undefined) await reportReversed(change, now, plan);
    if (!isDeepStrictEqual(turn.begun, turn.made.plan)) await beginChange(change, turn.made);
    turn.begun = turn.made.plan;
    const { add, remove, nickname } = plan;
    turn.takes = remove.length > 0;
    const roleIds = [...now.roleIds.filter((roleId) => !remove.includes(roleId)), ...add];
    return { ...(add.length + remove.length > 0 && { roleIds }), ...(nickname !== undefined && { nickname }) };
  };
  const known = [...(stored?.left?.roleIds ?? []), ...rolesSeenByGateway(guildId, chatUserId)];
  const write = { ...writeOf(change, () => turn.takes), known };
  const after = await editMemberInTurn(guildId, chatUserId, decide, write).catch(async (error) => {
    if (turn.made !== null && isNotMade(error)) await narrowBegun(change, turn.made, []);
    throw error;
  });
  if (turn.singly !== undefined) return makeSingly(change, turn.singly);
  if (after === null || turn.made === null) return turn.made;
  requireApplied(after, turn.made.plan);
  return withAnswer(turn.made, after);
}

/** The change with Discord's version of the nickname: Discord trims it, and drops invisible characters. */
function withAnswer(made: MadeChange, { nickname }: GuildMember): MadeChange {
  const { nickname: asked } = made.plan;
  if (typeof asked !== 'string' || asked === nickname) return made;
  return { ...made, plan: { ...made.plan, nickname }, askedNickname: asked };
}

/**
 * Stores the intended change with the member before Discord is asked, and enqueues the sync unless one is pending. So
 * the next sync finds and reports a killed process's changes. The previous nickname counts as ours until Discord has
 * accepted the new one; one that a killed process set is stored as ours first. Throws Conflict `lease_lost` if the
 * member has been synced since.
 */
export async function beginChange(
  { guildId, stored, pending, lease: { fence } }: Pick<MemberChange, 'guildId' | 'stored' | 'pending' | 'lease'>,
  { member, plan }: MadeChange,
): Promise<void> {
  const { chatUserId, nickname: formerNickname } = member;
  const { add: added, remove: removed, nickname } = plan;
  const applying = { added, removed, formerNickname, ...(nickname !== undefined && { nickname }) };
  const isTaken = typeof formerNickname === 'string' && stored?.applying?.nickname === formerNickname;
  const begun = { applying, syncFence: fence, ...(isTaken && { givenNickname: formerNickname }) };
  const former = isTaken ? { $unset: { askedNickname: 1 } } : {};
  const owed = pending && { owedSync: { ...pending, dueAt: new Date(clock.epochMs() + claimMs) } };
  if (owed !== undefined && stored !== null && stored.owedSync === undefined) {
    const free = { guildId, chatUserId, owedSync: trusted({ $exists: false }), ...syncedUpTo(fence) };
    if (await updateOneDirectly(Members.acrossGuilds, free, { $set: { ...begun, ...owed }, ...former })) return;
  }
  const unknown = { ...newcomer(member), present: true, ...owed };
  await upsertSynced({ guildId, chatUserId }, fence, { $set: begun, ...former, $setOnInsert: unknown });
}

/** Whether an error shows that a write was refused or not sent. Otherwise its outcome is unknown. */
const isNotMade = (error: unknown): boolean => isRefusedByDiscord(error) || !(error instanceof ChatPlatformUnavailable);

/** Leaves a begun change's made or possible part: the rest was refused, or never sent. */
async function narrowBegun(
  change: MemberChange,
  { member, plan }: MadeChange,
  parts: readonly SyncPart[],
): Promise<void> {
  const { guildId, chatUserId, due, stored, lease } = change;
  const own = dueFor(due, member);
  const isMade = (part: SyncPart['part'], id: string) =>
    parts.some((made) => made.part === part && roleIn(made) === id);
  const added = plan.add.filter((roleId) => !own.add.includes(roleId) || isMade('give', roleId));
  const removed = plan.remove.filter((roleId) => !own.remove.includes(roleId) || isMade('take', roleId));
  if (removed.length === 0) await uncount(change);
  const isNamed = plan.nickname !== undefined && own.nickname === undefined;
  const narrowed = {
    $set: { 'applying.added': added, 'applying.removed': removed },
    ...(!isNamed && { $unset: { 'applying.nickname': 1 as const } }),
  };
  const isNone = added.length + removed.length === 0 && !isNamed && stored?.applying === undefined;
  const rest = isNone ? unbegun(stored?.syncFence) : narrowed;
  const begun = { guildId, chatUserId, applying: trusted({ $exists: true }), ...syncedUpTo(lease.fence) };
  await Members.update(begun, rest);
}

const roleIn = (part: SyncPart): string => (part.part === 'nickname' ? '' : part.roleId);

/** Throws ChatPlatformUnavailable if Discord's answer to an edit has other roles than requested. */
function requireApplied(after: GuildMember, { add, remove }: SyncPlan): void {
  const held = new Set(after.roleIds);
  if (add.every((roleId) => held.has(roleId)) && !remove.some((roleId) => held.has(roleId))) return;
  throw new ChatPlatformUnavailable('Discord answered with other roles than those asked for.');
}

const always = () => true;
const never = () => false;

/** `takes`: whether the write takes a role. */
function writeOf(change: MemberChange, takes: () => boolean): MemberWrite {
  return { reason: reasonOf(change), beforeSending: () => passGate(change, takes()) };
}

/** The text for Discord's audit log (X-Audit-Log-Reason takes 512 characters). */
function reasonOf({ cause: { trigger, actor, jobId }, due }: MemberChange): string {
  const job = jobId === undefined ? '' : ` ${jobId}`;
  const by = actor.kind === 'system' ? '' : ` by ${actor.name || actor.id}`;
  return `Rolelink ${due.by === 'reversal' ? 'undo of' : trigger}${job}${by}`.slice(0, 512);
}
