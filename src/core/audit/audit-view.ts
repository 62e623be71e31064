import type { z } from 'zod';
import { shownFields } from '../../lib/shown-fields.js';
import { auditAction, auditActions } from './audit-actions.js';
import { type AuditEntry, auditEntryFields, changedFields } from './audit-model.js';

const shown = shownFields(auditEntryFields.omit({ guildId: true, changes: true }), 'id');
const meanings = Object.entries(auditActions).map(([action, meaning]) => `- \`${action}\`: ${meaning}`);

/** One entry of GET …/logs (SPEC §4). `changes` is empty when the action says it all. */
export const entryView = shown.view
  .extend({
    action: auditAction.meta({ description: meanings.join('\n') }),
    changes: changedFields.describe('The changed fields, before and after.'),
  })
  .meta({ id: 'AuditEntry' });

export function viewEntry(entry: AuditEntry): z.input<typeof entryView> {
  const changes = Object.entries(entry.changes ?? {});
  return {
    ...shown.show(entry),
    changes: Object.fromEntries(changes.map(([field, { from = null, to = null }]) => [field, { from, to }])),
  };
}
