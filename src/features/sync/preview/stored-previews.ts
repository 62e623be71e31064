import { Types, trusted } from 'mongoose';
import type { ErasedPerson } from '../../../core/actors/actor.js';
import { clock } from '../../../lib/clock.js';
import { AppError } from '../../../lib/errors.js';
import { removeInSteps } from '../../../platforms/database/in-steps.js';
import type { PlannedMember } from '../plan/guild-plan.js';
import { byPart, Previews, ShownMembers, type StoredPreview } from './preview-model.js';

/** Maximum previews of one person, so that people displace only their own. */
export const mostOfOnePerson = 5;
/** Maximum members per write and read: more would block the event loop. */
const membersAtOnce = 200;

export function previewExpired(message = 'This preview has expired. Create a new one.'): AppError {
  return new AppError('preview_expired', message);
}

/**
 * Stores the `members` of one more part, and then the preview that includes it, so that no resync finds half a part. A
 * new preview displaces the person's oldest. Previews of drafts can't be applied, so their members are not stored.
 */
export async function storePart(preview: StoredPreview, members: readonly PlannedMember[]): Promise<void> {
  const { _id, guildId, expiresAt, rulesKey } = preview;
  for (let start = 0; start < members.length && rulesKey !== null; start += membersAtOnce) {
    const some = members.slice(start, start + membersAtOnce).map((planned) => ({
      ...{ _id: new Types.ObjectId(), guildId, previewId: _id, part: preview.parts - 1 },
      ...{ chatUserId: planned.member.chatUserId, planned, expiresAt },
    }));
    await ShownMembers.insertAll(some);
  }
  await Previews.upsert({ _id, guildId }, { $set: preview });
  if (preview.parts === 1) await dropOldest(preview.askedBy);
}

async function dropOldest(askedBy: string): Promise<void> {
  const theirs = Previews.acrossGuilds.find({ askedBy }).sort({ expiresAt: -1 }).skip(mostOfOnePerson);
  for (const { _id } of await theirs.lean<StoredPreview[]>()) await drop(_id);
}

async function drop(previewId: string): Promise<void> {
  await Previews.acrossGuilds.deleteOne({ _id: previewId });
  await removeInSteps(ShownMembers.acrossGuilds, { previewId }, byPart);
}

/** A preview of the guild, as far as it was shown. Throws AppError `preview_expired` (gone). */
export async function readStored(guildId: string, previewId: string): Promise<StoredPreview> {
  const stored = await Previews.findOne({ _id: previewId, guildId });
  if (stored === null || stored.expiresAt <= clock.now()) throw previewExpired();
  return stored;
}

/**
 * The members of a preview, in the order shown, without those of an unfinished answer. Throws AppError
 * `preview_expired` if it is removed during the read.
 */
export async function* membersOf({ _id, guildId, parts, shown }: StoredPreview): AsyncGenerator<PlannedMember> {
  const theirs = { guildId, previewId: _id, part: trusted({ $lt: parts }) };
  const sort = { part: 1, _id: 1 } as const;
  let read = 0;
  for await (const { planned } of ShownMembers.cursor(theirs, { sort, batchSize: membersAtOnce, hint: byPart })) {
    read += 1;
    yield planned;
  }
  if (read < shown) throw previewExpired();
}

export async function purgePreviews(now: Date): Promise<void> {
  const isOver = { expiresAt: trusted({ $lte: now }) };
  await Previews.acrossGuilds.deleteMany(isOver);
  await removeInSteps(ShownMembers.acrossGuilds, isOver, { expiresAt: 1 });
}

/** Erases a person: the previews that they asked for, and the person in others. */
export async function erasePreviews({ chatUserId }: Pick<ErasedPerson, 'chatUserId'>): Promise<void> {
  const about = await ShownMembers.acrossGuilds.distinct('previewId', { chatUserId });
  const asked = await Previews.acrossGuilds.distinct('_id', { askedBy: chatUserId });
  for (const previewId of [...about, ...asked]) await drop(previewId);
}
