import { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import { type Changes, enterLog, type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { countFact } from '../../core/counters/daily-counters.js';
import { clock } from '../../lib/clock.js';
import { newEvent, push } from '../../platforms/events/outbox.js';
import { announceLookUp } from './look-up-changes.js';
import { type GameIdentity, type GuildWord, type Member, Members, searchNames } from './member-model.js';
import type { PendingSync } from './member-sync-fields.js';
import { pendingSync } from './pending-syncs.js';

/** The reason for a link's end (ID-8, `member.unlinked`). */
export const unlinkReason = z.enum(['self', 'admin', 'transferred', 'erased']);
export type UnlinkReason = z.output<typeof unlinkReason>;

// Each function here enqueues the sync in the same write that makes it necessary.

/** A link's actor. `isProof`: a verification made elsewhere, which the guild learns about through this link. */
export interface LinkCause {
  actor: Actor;
  isProof: boolean;
  /** The guild's word on which the link rests; absent for a proof. */
  word?: GuildWord | undefined;
  /** The sync that this enqueues; by default one that is due immediately. */
  pending?: PendingSync | undefined;
  /** The admin's unlink that this link undoes, which lifts its block. */
  undoes?: NonNullable<Member['adminUnlink']> | undefined;
}

/**
 * Links a member with a known account: automatically on joining, or after the account changed. `goneSince` marks an
 * account that Roblox has deleted or banned. Returns whether this call made the link.
 */
export async function linkMember(
  member: Member,
  { goneSince, ...game }: GameIdentity & { goneSince?: Date | undefined },
  cause: LinkCause,
): Promise<boolean> {
  const { actor, isProof, word, pending = pendingSync('link').owedSync, undoes } = cause;
  const { guildId, chatUserId, chatUsername, state, autoLinkBlocked, consent = null, gameUserId = null } = member;
  const verified = { chatUserId, gameUserId: game.gameUserId, gameUsername: game.gameUsername };
  const more = { ...sourceOf(word), ...(undoes && liftedBy(member)) };
  const entries = entriesOfLink(member, game, actor, more);
  const outbox = [...(isProof ? [newEvent('verification.completed', guildId, verified)] : []), ...entries];
  const linked = await Members.update(
    { guildId, chatUserId, state, autoLinkBlocked, consent, gameUserId },
    {
      $set: {
        ...linkFields(chatUsername, game),
        owedSync: pending,
        ...(goneSince !== undefined && { goneSince }),
        ...(word && { word }),
        ...(undoes && { autoLinkBlocked: false, ...(undoes.consent && { consent: undoes.consent }) }),
      },
      $unset: {
        linkDueAt: 1,
        erasing: 1,
        adminUnlink: 1,
        formerNickname: 1,
        ...(gameUserId !== game.gameUserId && { facts: 1 as const }),
        ...(goneSince === undefined && { goneSince: 1 as const }),
        ...(word === undefined && { word: 1 as const }),
      },
      ...push(...outbox),
    },
  );
  if (linked === null) return false;
  announceLookUp(guildId, game.gameUserId, gameUserId);
  await enterLog(...entries);
  return true;
}

/** A person with an account that they have just proved. */
interface ProvenPerson {
  chatUserId: string;
  chatUsername: string;
  game: GameIdentity;
  word?: GuildWord | undefined;
  /** Whether the guild uses it by choice, or as the main account. Absent: their choice stays. */
  isChosen?: boolean;
}

/**
 * Links the member in the guild where a proof was made; that also lifts an admin's block and the person's own no
 * (ID-20).
 */
export async function linkProvenMember(guildId: string, person: ProvenPerson, actor: Actor): Promise<void> {
  const { chatUserId, chatUsername, game, word, isChosen } = person;
  const before = await Members.findOne({ guildId, chatUserId });
  const here = { present: true, presenceAt: clock.now(), autoLinkBlocked: false, consent: 'given' as const };
  const chosen = isChosen === true && { chosenGameUserId: game.gameUserId };
  const links = { ...linkFields(chatUsername, game), ...here, ...(word && { word }), ...chosen };
  const entries = entriesOfLink({ ...before, guildId, chatUserId, chatUsername }, game, actor, liftedBy(before));
  const over = { adminUnlink: 1 as const, formerNickname: 1 as const };
  const old = { linkDueAt: 1 as const, goneSince: 1 as const, ...over };
  const $unset = {
    ...old,
    ...(word === undefined && { word: 1 as const }),
    ...(before?.gameUserId !== game.gameUserId && { facts: 1 as const }),
    ...(isChosen === false && { chosenGameUserId: 1 as const }),
  };
  const change = { $set: { ...links, ...pendingSync('verification') }, $unset, ...push(...entries) };
  await Members.upsert({ guildId, chatUserId }, change);
  announceLookUp(guildId, game.gameUserId, before?.gameUserId);
  await enterLog(...entries);
}

/**
 * Ends a member's link in one guild. With `blocks` it stays ended until they verify there again; with `withdraws` until
 * they consent again (ID-29). Their consent ends too, unless the account went to another link. Returns whether this
 * call ended it.
 */
export async function endLink(
  member: Member,
  reason: UnlinkReason,
  actor: Actor,
  { blocks = false, withdraws = false } = {},
): Promise<boolean> {
  const { guildId, chatUserId, chatUsername, gameUserId, gameUsername } = member;
  if (gameUserId === undefined || gameUsername === undefined) return false;
  const outbox = { chatUserId, gameUserId, gameUsername, reason, actorId: actor.id };
  const entry = newEntry({
    guildId,
    actor,
    action: 'member.unlinked',
    target: { kind: 'member', id: chatUserId, name: chatUsername },
    changes: {
      gameUserId: { from: gameUserId, to: null },
      reason: { from: null, to: reason },
      ...(blocks && { autoLinkBlocked: { from: member.autoLinkBlocked, to: true } }),
      ...(withdraws && { consent: { from: member.consent ?? null, to: 'refused' } }),
    },
  });
  const ended = await Members.update(
    { guildId, chatUserId, state: 'linked', gameUserId },
    {
      $set: {
        state: 'unlinked',
        names: searchNames(chatUsername),
        ...(blocks && { autoLinkBlocked: true, adminUnlink: endedNow(member.consent, gameUserId) }),
        ...(withdraws && { consent: 'refused' as const }),
        ...(reason === 'erased' && { erasing: true as const }),
        ...pendingSync('unlink'),
      },
      $unset: {
        ...ofLink,
        // Nothing keeps what an erasure takes back.
        ...(reason === 'erased' && { leftOut: 1 as const }),
        ...(!withdraws && reason !== 'transferred' && { consent: 1 as const }),
      },
      ...push(newEvent('member.unlinked', guildId, outbox), entry),
    },
  );
  if (ended === null) return false;
  announceLookUp(guildId, gameUserId);
  await enterLog(entry);
  await countFact(guildId, 'unlinked');
  return true;
}

const endedNow = (consent: Member['consent'], gameUserId: string): NonNullable<Member['adminUnlink']> => ({
  ...{ at: clock.now(), gameUserId },
  ...(consent === 'given' && { consent }),
});

const ofLink = {
  word: 1,
  facts: 1,
  gameUserId: 1,
  gameUsername: 1,
  gameDisplayName: 1,
  linkedAt: 1,
  goneSince: 1,
} as const;

/** Schedules the link that a member's account gives, to be checked again at `dueAt` (SET-1). */
export async function scheduleLink({ guildId, chatUserId }: Member, dueAt: Date): Promise<void> {
  await Members.update({ guildId, chatUserId }, { $set: { linkDueAt: dueAt } });
}

/** No entry if the member is linked to this game account already. `member` is their previous state. */
function entriesOfLink(
  member: Pick<Member, 'guildId' | 'chatUserId' | 'chatUsername' | 'gameUserId'>,
  { gameUserId: to }: GameIdentity,
  actor: Actor,
  more: Changes = {},
): NewEntry[] {
  const { guildId, chatUserId, chatUsername, gameUserId: from = null } = member;
  if (from === to) return [];
  const entry = newEntry({
    guildId,
    actor,
    action: 'member.linked',
    target: { kind: 'member', id: chatUserId, name: chatUsername },
    changes: { gameUserId: { from, to }, ...more },
  });
  return [entry];
}

const sourceOf = (word: GuildWord | undefined): Changes =>
  word?.importedFrom === undefined ? {} : { importedFrom: { from: null, to: word.importedFrom } };

/** The fields that prevent a link, and that a proof made there removes. */
const liftedBy = (before: Member | null): Changes => ({
  ...(before?.autoLinkBlocked && { autoLinkBlocked: { from: true, to: false } }),
  ...(before?.consent === 'refused' && { consent: { from: 'refused', to: 'given' } }),
});

/** Picks `game`'s fields, since callers may pass a whole account. */
function linkFields(chatUsername: string, { gameUserId, gameUsername, gameDisplayName }: GameIdentity) {
  const names = searchNames(chatUsername, gameUsername, gameDisplayName);
  const game = { gameUserId, gameUsername, gameDisplayName };
  const state = 'linked' as const;
  return { ...game, chatUsername, names, state, linkedAt: clock.now() };
}
