import { z } from 'zod';
import { shownFields } from '../../lib/shown-fields.js';
import { storedActor } from '../actors/actor.js';
import { auditAction, auditActions } from './audit-actions.js';
import { type AuditEntry, auditEntryFields, changedFields } from './audit-model.js';
import { actorShown, type OpenedActors } from './sealed-actors.js';

const shown = shownFields(auditEntryFields.omit({ guildId: true, changes: true }), 'id');
const meanings = Object.entries(auditActions).map(([action, meaning]) => `- \`${action}\`: ${meaning}`);

/** One entry in GET …/logs (LOG-7). `changes` is empty if the action says everything. */
export const entryView = shown.view
  .extend({
    actor: storedActor.extend({
      pseudonym: z
        .string()
        .optional()
        .describe('Of an erased teammate; only the owner and platform admins see it, for 30 days.'),
    }),
    action: auditAction.meta({ description: meanings.join('\n') }),
    changes: changedFields.describe('The changed fields, before and after.'),
  })
  .meta({ id: 'AuditEntry' });

/** An entry as shown to a reader allowed to know the people in `opened`. */
export function viewEntry(entry: AuditEntry, opened: OpenedActors = new Map()): z.input<typeof entryView> {
  const changes = Object.entries(entry.changes ?? {});
  return {
    ...shown.show(entry),
    actor: actorShown(entry, opened),
    changes: Object.fromEntries(changes.map(([field, { from = null, to = null }]) => [field, { from, to }])),
  };
}
