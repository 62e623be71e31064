import { model, trusted } from 'mongoose';
import { z } from 'zod';
import type { ErasedPerson } from '../../core/actors/actor.js';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { shownFields } from '../../lib/shown-fields.js';
import { dayMs } from '../../lib/time.js';
import { withLease } from '../../platforms/database/lease.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { type DirectMessage, editDirectMessage, postDirectMessage } from '../../platforms/discord/direct-messages.js';
import type { StoredVerification } from './verification-model.js';

const openQuestion = z.strictObject({
  sessionId: z.string(),
  channelId: z.string(),
  messageId: z.string(),
  until: z.date(),
});

/** The questions of a guild to a person, within a day, about accounts that its tokens claim for them (VER-16). */
const claimQuestionFields = z.strictObject({
  _id: z.string(),
  chatUserId: z.string(),
  /** The unanswered question: its session, message and end. */
  open: openQuestion.exactOptional(),
  sentAt: z.array(z.date()),
  /** The end of the time without questions, after they said that it is not them. */
  quietUntil: z.date().exactOptional(),
  /** The time after which none of this counts. */
  overAt: z.date(),
});
/** The questions of one guild in the export for their person. */
export const ownClaimQuestions = shownFields(
  claimQuestionFields.omit({ _id: true, chatUserId: true, open: true }).extend({
    open: openQuestion.omit({ sessionId: true }).exactOptional(),
  }),
);
type ClaimQuestions = z.output<typeof claimQuestionFields>;

const schema = schemaOf<ClaimQuestions>('claim_questions', claimQuestionFields);
// A person is erased.
schema.index({ chatUserId: 1 });
// purgeClaimQuestions.
schema.index({ overAt: 1 });

const Questions = model<ClaimQuestions>('ClaimQuestions', schema);

const mostADay = 3;

type Subject = Pick<StoredVerification, 'guildId' | 'chatUserId'>;
type Session = Subject & Pick<StoredVerification, '_id' | 'expiresAt'>;
type Words = Parameters<typeof postDirectMessage>[1];
type Extras = Parameters<typeof postDirectMessage>[2];

const noGuild = '*';
const idOf = ({ guildId, chatUserId }: Subject): string => `${guildId ?? noGuild}:${chatUserId}`;
const inADay = (): Date => new Date(clock.epochMs() + dayMs);

/**
 * Asks a person by direct message whether a claimed account is theirs. A guild has one open question at a time; a newer
 * one replaces it in the same message. At most three are sent a day, and none for a day after a no. Never throws.
 */
export async function askAboutClaim(session: Session, words: Words, extras: Extras): Promise<void> {
  await withLease(`claim-question:${idOf(session)}`, () => ask(session, words, extras)).catch((err: unknown) =>
    logger.info({ err, chatUserId: session.chatUserId }, 'question about an account not sent'),
  );
}

async function ask(session: Session, words: Words, extras: Extras): Promise<void> {
  const { chatUserId } = session;
  const now = clock.now();
  const stored = await Questions.findById(idOf(session)).lean<ClaimQuestions | null>();
  if (stored?.quietUntil !== undefined && stored.quietUntil > now) return;
  const { open } = stored ?? {};
  if (open !== undefined && open.until > now && (await editDirectMessage(open, words, extras))) {
    return keepOpen(session, open);
  }
  const recent = (stored?.sentAt ?? []).filter((at) => now.getTime() - at.getTime() < dayMs);
  if (recent.length >= mostADay) return;
  // Before it is sent: a killed process has asked rather once too often in our count than in theirs.
  const counted = { chatUserId, sentAt: [...recent, now], overAt: inADay() };
  await Questions.updateOne({ _id: idOf(session) }, { $set: counted, $unset: { open: 1 } }, { upsert: true });
  await keepOpen(session, await postDirectMessage(chatUserId, words, extras));
}

async function keepOpen(session: Session, { channelId, messageId }: DirectMessage): Promise<void> {
  const open = { sessionId: session._id, channelId, messageId, until: session.expiresAt };
  await Questions.updateOne({ _id: idOf(session) }, { $set: { open }, $max: { overAt: session.expiresAt } });
}

/** The question of a session was answered: with a no (`isNo`) the guild asks nothing for a day. */
export async function noteClaimAnswered(session: Omit<Session, 'expiresAt'>, isNo: boolean): Promise<void> {
  const _id = idOf(session);
  const { chatUserId } = session;
  await Questions.updateOne({ _id, 'open.sessionId': session._id }, { $unset: { open: 1 } });
  if (!isNo) return;
  const quietUntil = inADay();
  const untold = { chatUserId, sentAt: [] };
  await Questions.updateOne(
    { _id },
    { $set: { quietUntil }, $max: { overAt: quietUntil }, $setOnInsert: untold },
    { upsert: true },
  );
}

export async function purgeClaimQuestions(now: Date): Promise<void> {
  await Questions.deleteMany({ overAt: trusted({ $lte: now }) });
}

export async function eraseClaimQuestions({ chatUserId }: Pick<ErasedPerson, 'chatUserId'>): Promise<void> {
  await Questions.deleteMany({ chatUserId });
}

export function claimQuestionsOf(chatUserId: string): Promise<ClaimQuestions[]> {
  return Questions.find({ chatUserId }).lean<ClaimQuestions[]>().exec();
}

/** The guild that asks; null: the whole platform. */
export function guildOfQuestion({ _id }: Pick<ClaimQuestions, '_id'>): string | null {
  const guildId = _id.slice(0, _id.indexOf(':'));
  return guildId === noGuild ? null : guildId;
}
