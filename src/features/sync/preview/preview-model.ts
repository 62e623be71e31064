import { z } from 'zod';
import { GuildModel } from '../../../platforms/database/guild-model.js';
import { objectId, schemaOf } from '../../../platforms/database/schema-of.js';
import type { PlannedMember } from '../plan/guild-plan.js';

/** As much of a preview as was shown: what a resync by it goes by, in whichever process (RESYNC-24). */
const previewFields = z.strictObject({
  /** The `previewId`. */
  _id: z.string(),
  guildId: z.string(),
  /** The person who asked for it, or what stands for them. */
  askedBy: z.string(),
  /** Stands for the stored rules that it was planned by; null for drafts, which cannot be applied. */
  rulesKey: z.string().nullable(),
  /** How many answers showed it, and how many members they named: those that are stored beside it. */
  parts: z.int(),
  shown: z.int(),
  /** How many people were looked at, and how many of them stay as they are, since what Roblox says leaves doubts. */
  checked: z.int(),
  unknown: z.int(),
  /** When the reading began: who was synced later is ahead of this plan. */
  asOf: z.date(),
  expiresAt: z.date(),
});
export type StoredPreview = z.output<typeof previewFields>;

const schema = schemaOf('previews', previewFields);
// Those of a person, newest first: only so many are kept, and none of who is erased.
schema.index({ askedBy: 1, expiresAt: -1 });
// purgePreviews: those that are over.
schema.index({ expiresAt: 1 });

export const Previews = new GuildModel<StoredPreview>('Preview', schema);

/** A member whom a preview has shown as not in step. */
const shownFields = z.strictObject({
  _id: objectId,
  guildId: z.string(),
  previewId: z.string(),
  /** Which of its answers named them, from 0. */
  part: z.int(),
  chatUserId: z.string(),
  planned: z.custom<PlannedMember>(),
  expiresAt: z.date(),
});
export type ShownMember = z.output<typeof shownFields>;

const shownSchema = schemaOf('preview_members', shownFields);
/** The index by which all members of a preview are gone through. */
export const byPart = { previewId: 1, part: 1, _id: 1 } as const;
// All members of a preview, in the order in which they were shown.
shownSchema.index(byPart);
// A person is erased.
shownSchema.index({ chatUserId: 1 });
// purgePreviews: those that are over.
shownSchema.index({ expiresAt: 1 });

export const ShownMembers = new GuildModel<ShownMember>('ShownMember', shownSchema);
