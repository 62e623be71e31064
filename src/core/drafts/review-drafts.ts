import { createHash } from 'node:crypto';
import { trusted } from 'mongoose';
import type { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { NotFound } from '../../lib/errors.js';
import { dayMs, hourMs } from '../../lib/time.js';
import { Remembered } from '../../platforms/database/remembered.js';
import type { ErasedPerson } from '../actors/actor.js';

/**
 * Content shown to a person that awaits their confirmation. It survives restarts and expires after one day (DISC-18),
 * or after one hour where it may hold another bot's key (PEOPLE-11).
 */
interface ReviewDraft {
  kind: 'import' | 'config' | 'people';
  /** Identifies exactly this content. */
  key: string;
  text: string;
}

const drafts = new Remembered<ReviewDraft>('review_draft');

export interface DraftOwner extends Pick<ReviewDraft, 'kind'> {
  guildId: string;
  chatUserId: string;
}

/** A person has one draft per kind in a guild. */
const placeOf = ({ guildId, chatUserId, kind }: DraftOwner): string => `${guildId} ${chatUserId} ${kind}`;

const dayAfter = (time: Date): Date => new Date(time.getTime() + dayMs);

/** Stores content shown to a person, replacing their draft with the same kind. Returns its 43-character key. */
export async function keepDraft(owner: DraftOwner, content: object): Promise<string> {
  const text = JSON.stringify(content);
  const key = createHash('sha256').update(text).digest('base64url');
  const { guildId, chatUserId: person, kind } = owner;
  const until = new Date(clock.epochMs() + (kind === 'people' ? hourMs : dayMs));
  await drafts.keep(placeOf(owner), { guildId, person, until, value: { kind, key, text } });
  return key;
}

/**
 * A person's draft content. Throws NotFound `nothing_to_answer` if it was confirmed or replaced, and after its time.
 */
export async function readDraft<T>(owner: DraftOwner, key: string, content: z.ZodType<T>): Promise<T> {
  const draft = await drafts.find(placeOf(owner));
  if (draft?.value.key === key) return content.parse(JSON.parse(draft.value.text));
  throw new NotFound('nothing_to_answer', 'This was already done, has been replaced, or has expired.');
}

/** Deletes a confirmed draft, but not a newer one in its place. */
export async function dropDraft(owner: DraftOwner, key: string): Promise<void> {
  await drafts.forget(placeOf(owner), { 'value.key': key });
}

/** Deletes every waiting draft with this kind that names an id. */
export async function dropDraftsNaming(kind: ReviewDraft['kind'], id: string): Promise<void> {
  await drafts.forgetAll({ 'value.kind': kind, 'value.text': trusted({ $regex: `"${id}"` }) });
}

export async function eraseDrafts({ chatUserId, requestedAt }: ErasedPerson): Promise<void> {
  await drafts.forgetAll({ person: chatUserId, until: trusted({ $lte: dayAfter(requestedAt) }) });
}
