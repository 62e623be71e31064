import { ChatPlatformUnavailable, Conflict } from '../../../lib/errors.js';
import { awaited, currentLane, inLane } from '../../../lib/lane.js';
import type { Lease } from '../../../platforms/database/lease.js';
import { type GuildFacts, readGuildFacts, readGuildFactsAfresh } from '../../../platforms/discord/guild-facts.js';
import { readMember } from '../../../platforms/discord/guild-members.js';
import { DiscordForbids, GoneFromDiscord, refusalWords } from '../../../platforms/discord/rest/discord-call.js';
import type { Member } from '../../members/member-model.js';
import { findMember, markPresent } from '../../members/member-service.js';
import type { SeenMember } from '../plan/seen-member.js';
import { type MadeChange, type MemberChange, makeChange, type SyncCause } from './member-change.js';
import { yieldToInteractive } from './yield-to-interactive.js';

// The steps that all syncs share, whichever plan they keep to.

export interface LeasedSync {
  guildId: string;
  chatUserId: string;
  cause: SyncCause;
  lease: Pick<Lease, 'fence' | 'requireHeld'>;
}

/** One try at a sync. `byParts`: Discord has refused the change as a whole, so that each part is made separately. */
export interface Try {
  stored: Member | null;
  byParts: boolean;
}

/**
 * Tries a sync. If Discord refuses the change as a whole, it is planned again from Discord's present facts, since a role
 * may have been moved or deleted, and made by parts. Throws ChatPlatformUnavailable if Discord contradicts itself.
 */
export async function byPartsIfRefused<T>(
  { guildId, chatUserId }: Pick<LeasedSync, 'guildId' | 'chatUserId'>,
  stored: Member | null,
  attempt: (once: Try) => Promise<T>,
): Promise<T> {
  try {
    return await attempt({ stored, byParts: false });
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  // This try reports the first one's changes.
  const begun = await findMember(guildId, chatUserId);
  const now = stored === null || begun === null ? begun : withApplying(stored, begun);
  // The limits on a guild's bulk calls must not delay this member's answer.
  const { lane, isAwaited } = currentLane();
  const again = () => attempt({ stored: now, byParts: true });
  return (isAwaited ? awaited : inLane)(lane === 'bulk' ? 'single' : lane, again).catch(asUnavailable);
}

function withApplying(member: Member, { applying }: Member): Member {
  return { ...member, ...(applying !== undefined && { applying }) };
}

/** Whether Discord refuses a request for good: it is forbidden, its target is gone, or its content is refused. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof DiscordForbids || error instanceof GoneFromDiscord || refusalWords(error) !== null;

/** Turns a contradiction by Discord, or a guild change during the sync, into an error that is retried. */
function asUnavailable(error: unknown): never {
  if (!isRefusal(error)) throw error;
  throw new ChatPlatformUnavailable(`Discord refused the change: ${error.message}`, { cause: error });
}

/** Discord's side of a sync; null: the person is not in the guild. `known`: the member as seen, if that is certain. */
export async function readChatSide(
  { guildId, chatUserId }: Pick<LeasedSync, 'guildId' | 'chatUserId'>,
  { stored, byParts }: Try,
  known: SeenMember | undefined,
): Promise<{ facts: GuildFacts; member: SeenMember } | null> {
  const facts = await (byParts ? readGuildFactsAfresh : readGuildFacts)(guildId);
  const isAbsent = stored?.present === false;
  const handedIn = isAbsent || byParts ? undefined : known;
  const member = handedIn ?? (await readMember(guildId, chatUserId));
  if (member !== null && isAbsent) await markPresent(guildId, chatUserId);
  return member && { facts, member };
}

/** Makes a change, and lets presses go first; null: the person is not in the guild. Throws as `makeChange` does. */
export async function carryOut(change: MemberChange, member: SeenMember): Promise<MadeChange | null> {
  await yieldToInteractive();
  const made = await makeChange(change, member);
  await yieldToInteractive();
  return made;
}

/** A planned change waits this long for its call under the member's lease: less than their own syncs wait for it. */
const patienceMs = 4_000;

/** Gives up a waiting call after a while, so that the member's own syncs come first. Throws Conflict `busy` then. */
export async function givingWay<T>(work: () => Promise<T>): Promise<T> {
  const { lane, signal } = currentLane();
  const patience = new AbortController();
  const over = new Conflict('busy', 'The change has waited too long for its turn, and is made later.');
  const timer = setTimeout(() => patience.abort(over), patienceMs);
  const signals = [patience.signal, ...(signal === undefined ? [] : [signal])];
  return inLane(lane, work, AbortSignal.any(signals)).finally(() => clearTimeout(timer));
}
