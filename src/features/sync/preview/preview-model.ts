import { z } from 'zod';
import { GuildModel } from '../../../platforms/database/guild-model.js';
import { objectId, schemaOf } from '../../../platforms/database/schema-of.js';
import type { PlannedMember } from '../plan/guild-plan.js';

/** The part of a preview shown so far: the plan of a resync based on it, in any process (RESYNC-24). */
const previewFields = z.strictObject({
  _id: z.string(),
  guildId: z.string(),
  /** The requesting person, or an id in their place. */
  askedBy: z.string(),
  /** The key of the stored rules that it was planned by; null for drafts, which cannot be applied. */
  rulesKey: z.string().nullable(),
  /** The number of answers, and of members in them, which are stored separately. */
  parts: z.int(),
  shown: z.int(),
  /** The number of people checked, and of those left unchanged because Roblox's answers leave doubts. */
  checked: z.int(),
  unknown: z.int(),
  /** The start of the reading: members synced later are ahead of this plan. */
  asOf: z.date(),
  expiresAt: z.date(),
});
export type StoredPreview = z.output<typeof previewFields>;

const schema = schemaOf('previews', previewFields);
// A person's previews, newest first: only a few are kept, and none of an erased person.
schema.index({ askedBy: 1, expiresAt: -1 });
// purgePreviews: those that are over.
schema.index({ expiresAt: 1 });

export const Previews = new GuildModel<StoredPreview>('Preview', schema);

/** A member that a preview showed as out of step. */
const shownFields = z.strictObject({
  _id: objectId,
  guildId: z.string(),
  previewId: z.string(),
  /** The number of the answer that named them, from 0. */
  part: z.int(),
  chatUserId: z.string(),
  planned: z.custom<PlannedMember>(),
  expiresAt: z.date(),
});
export type ShownMember = z.output<typeof shownFields>;

const shownSchema = schemaOf('preview_members', shownFields);
/** The index for passes over all members of a preview. */
export const byPart = { previewId: 1, part: 1, _id: 1 } as const;
// All members of a preview, in the order shown.
shownSchema.index(byPart);
// The erasure of a person.
shownSchema.index({ chatUserId: 1 });
// purgePreviews: those that are over.
shownSchema.index({ expiresAt: 1 });

export const ShownMembers = new GuildModel<ShownMember>('ShownMember', shownSchema);
