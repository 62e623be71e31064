import { model, type QueryFilter, trusted } from 'mongoose';
import { z } from 'zod';
import { dayMs, hourMs, secondMs } from '../../lib/time.js';
import { pending } from '../../platforms/database/pending.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';

/**
 * A person that is connected for Linked Roles (LINK-6). `_id` is the chatUserId. A past `dueAt` is a pending update,
 * stored with the change that made it necessary or right after it.
 */
const linkedRoleFields = z.strictObject({
  _id: z.string(),
  connectedAt: z.date(),
  /** Sealed: Discord's access and refresh token. */
  tokens: z.string(),
  tokensExpireAt: z.date(),
  dueAt: z.date(),
  /** Rises with each enqueued update. Only a run that has read the newest value completes it. */
  wish: z.int(),
  failures: z.int(),
  /** The time since when the connection waits for its removal. */
  endingSince: z.date().exactOptional(),
  /** The facts last written to Discord; absent: none are there. */
  written: z
    .strictObject({
      gameUsername: z.string(),
      facts: z.array(z.strictObject({ key: z.string(), value: z.string() })),
      at: z.date(),
    })
    .exactOptional(),
  /** The fact keys that the operator published at the last write. */
  keys: z.string().exactOptional(),
});
export interface LinkedRole extends z.output<typeof linkedRoleFields>, WithOutbox {}

const schema = schemaOf<LinkedRole>('linked_roles', linkedRoleFields);
// Finds people with a pending update.
schema.index({ dueAt: 1 });
giveOutbox(schema);

export const LinkedRoles = model<LinkedRole>('LinkedRole', schema);

/** The pending updates, done under the person's lease. Each write that enqueues one raises `wish`. */
export const updates = pending<LinkedRole>(LinkedRoles, 'dueAt', {
  what: 'fact for Linked Roles',
  index: { dueAt: 1 },
  backoff: { firstMs: 10 * secondMs, factor: 3, longestMs: 6 * hourMs },
  identity: 'wish',
  longestMs: dayMs,
});

/** Matches a person's connection that is not being taken away. */
export const connectionOf = (chatUserId: string): QueryFilter<LinkedRole> => ({
  _id: chatUserId,
  connectedAt: trusted({ $exists: true }),
  endingSince: trusted({ $exists: false }),
});
