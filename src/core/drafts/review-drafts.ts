import { createHash } from 'node:crypto';
import { trusted } from 'mongoose';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { NotFound } from '../../lib/errors.js';
import { dayMs } from '../../lib/time.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import type { ErasedPerson } from '../actors/actor.js';

/**
 * Content shown to a person that awaits their confirmation. It survives restarts and expires after one day (DISC-18).
 */
const reviewDraftFields = z.strictObject({
  guildId: z.string(),
  chatUserId: z.string(),
  kind: z.enum(['import', 'config', 'people']),
  /** Identifies exactly this content. */
  key: z.string(),
  text: z.string(),
  at: z.date(),
});
type ReviewDraft = z.output<typeof reviewDraftFields>;

const schema = schemaOf<ReviewDraft>('review_drafts', reviewDraftFields);
// A person's pending draft in a guild, for its confirmation.
schema.index({ guildId: 1, chatUserId: 1, kind: 1 }, { unique: true });
// purgeDrafts.
schema.index({ at: 1 });
// eraseDrafts.
schema.index({ chatUserId: 1 });

export const ReviewDrafts = new GuildModel<ReviewDraft>('ReviewDraft', schema);

export type DraftOwner = Pick<ReviewDraft, 'guildId' | 'chatUserId' | 'kind'>;

const isOver = (now: Date): Date => new Date(now.getTime() - dayMs);

/** Stores content shown to a person, replacing their draft of the same kind. Returns its 43-character key. */
export async function keepDraft(owner: DraftOwner, content: object): Promise<string> {
  const text = JSON.stringify(content);
  const key = createHash('sha256').update(text).digest('base64url');
  await ReviewDrafts.upsert(owner, { $set: { key, text, at: clock.now() } });
  return key;
}

/**
 * The content of a person's draft. Throws NotFound `nothing_to_answer` if it was confirmed or replaced, and after one
 * day.
 */
export async function readDraft<T>(owner: DraftOwner, key: string, content: z.ZodType<T>): Promise<T> {
  const draft = await ReviewDrafts.findOne({ ...owner, key, at: trusted({ $gt: isOver(clock.now()) }) });
  if (draft !== null) return content.parse(JSON.parse(draft.text));
  throw new NotFound('nothing_to_answer', 'This was already done, has been replaced, or has expired.');
}

/** Deletes a confirmed draft, but not a newer one in its place. */
export async function dropDraft(owner: DraftOwner, key: string): Promise<void> {
  await ReviewDrafts.acrossGuilds.deleteOne({ ...owner, key });
}

export async function purgeDrafts(now: Date): Promise<void> {
  await ReviewDrafts.acrossGuilds.deleteMany({ at: trusted({ $lte: isOver(now) }) });
}

/** Deletes every person's waiting drafts of a kind that name an id. */
export async function dropDraftsNaming(kind: ReviewDraft['kind'], id: string): Promise<void> {
  const naming = { kind, at: trusted({ $gt: isOver(clock.now()) }), text: trusted({ $regex: `"${id}"` }) };
  await ReviewDrafts.acrossGuilds.deleteMany(naming);
}

export async function eraseDrafts({ chatUserId, requestedAt }: ErasedPerson): Promise<void> {
  await ReviewDrafts.acrossGuilds.deleteMany({ chatUserId, at: trusted({ $lte: requestedAt }) });
}
