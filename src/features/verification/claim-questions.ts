import { z } from 'zod';
import type { ErasedPerson } from '../../core/actors/actor.js';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { shownFields } from '../../lib/shown-fields.js';
import { dayMs } from '../../lib/time.js';
import { withLease } from '../../platforms/database/lease.js';
import { Remembered } from '../../platforms/database/remembered.js';
import { type DirectMessage, editDirectMessage, postDirectMessage } from '../../platforms/discord/direct-messages.js';
import type { StoredVerification } from './verification-model.js';

const openQuestion = z.strictObject({
  sessionId: z.string(),
  channelId: z.string(),
  messageId: z.string(),
  until: z.date(),
});

/** A guild's questions to a person, within a day, about accounts that its tokens claim for them (VER-16). */
const claimQuestionFields = z.strictObject({
  /** The guild that asks; null: the whole platform. */
  guildId: z.string().nullable(),
  /** The unanswered question: its session, message and end. */
  open: openQuestion.exactOptional(),
  sentAt: z.array(z.date()),
  /** When the time without questions ends, after they said that it is not them. */
  quietUntil: z.date().exactOptional(),
});
const ownFields = claimQuestionFields.pick({ sentAt: true, quietUntil: true }).extend({
  /** The time after which none of this counts. */
  overAt: z.date(),
  open: openQuestion.omit({ sessionId: true }).exactOptional(),
  guildId: claimQuestionFields.shape.guildId,
});
/** One guild's questions in the export for their person. */
export const ownClaimQuestions = shownFields(ownFields);
type ClaimQuestions = z.output<typeof claimQuestionFields>;

const questions = new Remembered<ClaimQuestions>('claim_questions');

const mostADay = 3;

type Subject = Pick<StoredVerification, 'guildId' | 'chatUserId'>;
type Session = Subject & Pick<StoredVerification, '_id' | 'expiresAt'>;
type Words = Parameters<typeof postDirectMessage>[1];
type Extras = Parameters<typeof postDirectMessage>[2];

const keyOf = ({ guildId, chatUserId }: Subject): string => `${guildId ?? '*'} ${chatUserId}`;
const inADay = (): Date => new Date(clock.epochMs() + dayMs);

/**
 * Asks a person by direct message whether a claimed account is theirs. A guild has one open question at a time; a newer
 * one replaces it in the same message. At most three are sent a day, and none for a day after a no. Never throws.
 */
export async function askAboutClaim(session: Session, words: Words, extras: Extras): Promise<void> {
  await withLease(`claim-question:${keyOf(session)}`, () => ask(session, words, extras)).catch((err: unknown) =>
    logger.info({ err, chatUserId: session.chatUserId }, 'question about an account not sent'),
  );
}

async function ask(session: Session, words: Words, extras: Extras): Promise<void> {
  const { chatUserId, guildId } = session;
  const now = clock.now();
  const stored = (await questions.find(keyOf(session)))?.value;
  if (stored?.quietUntil !== undefined && stored.quietUntil > now) return;
  const { open } = stored ?? {};
  if (open !== undefined && open.until > now && (await editDirectMessage(open, words, extras))) {
    return keepOpen(session, open);
  }
  const recent = (stored?.sentAt ?? []).filter((at) => now.getTime() - at.getTime() < dayMs);
  if (recent.length >= mostADay) return;
  // Before it is sent: a killed process has asked rather once too often in our count than in theirs.
  const value = { guildId, sentAt: [...recent, now] };
  await questions.keep(keyOf(session), { person: chatUserId, until: inADay(), value });
  await keepOpen(session, await postDirectMessage(chatUserId, words, extras));
}

async function keepOpen(session: Session, { channelId, messageId }: DirectMessage): Promise<void> {
  const open = { sessionId: session._id, channelId, messageId, until: session.expiresAt };
  await questions.change(keyOf(session), { $set: { 'value.open': open }, $max: { until: session.expiresAt } });
}

/** A session's question was answered: with a no (`isNo`) the guild asks nothing for a day. */
export async function noteClaimAnswered(session: Omit<Session, 'expiresAt'>, isNo: boolean): Promise<void> {
  const key = keyOf(session);
  const { chatUserId: person, guildId } = session;
  await questions.change(key, { $unset: { 'value.open': 1 } }, { filter: { 'value.open.sessionId': session._id } });
  if (!isNo) return;
  const quietUntil = inADay();
  const untold = { person, 'value.guildId': guildId, 'value.sentAt': [] };
  await questions.change(
    key,
    { $set: { 'value.quietUntil': quietUntil }, $max: { until: quietUntil }, $setOnInsert: untold },
    { upsert: true },
  );
}

export async function eraseClaimQuestions({ chatUserId: person }: Pick<ErasedPerson, 'chatUserId'>): Promise<void> {
  await questions.forgetAll({ person });
}

export async function claimQuestionsOf(chatUserId: string): Promise<z.output<typeof ownFields>[]> {
  const found = await questions.ofPerson(chatUserId);
  return found.map(({ value, until = clock.now() }) => ({ ...value, overAt: until }));
}
