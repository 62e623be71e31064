import { z } from 'zod';
import { timestamp } from '../../lib/fields.js';
import { auditAction, auditActions } from './audit-actions.js';
import type { AuditEntry } from './audit-model.js';

const meanings = Object.entries(auditActions).map(([action, meaning]) => `- \`${action}\`: ${meaning}`);

/** One entry of GET …/logs (SPEC §4). `changes` is empty when the action says it all. */
export const entryView = z
  .strictObject({
    id: z.string(),
    at: timestamp,
    actor: z.strictObject({
      kind: z.enum(['user', 'bot_token', 'provider', 'system', 'anonymous']),
      id: z.string(),
      name: z.string(),
    }),
    action: auditAction.meta({ description: meanings.join('\n') }),
    target: z.strictObject({ kind: z.string(), id: z.string(), name: z.string().nullable() }),
    changes: z
      .record(z.string(), z.strictObject({ from: z.unknown(), to: z.unknown() }))
      .meta({ description: 'The changed fields, before and after.' }),
    requestId: z.string().nullable().meta({ description: 'Of the request, interaction or job that it came by.' }),
  })
  .meta({ id: 'AuditEntry' });

export function viewEntry(entry: AuditEntry): z.input<typeof entryView> {
  const { _id, at, actor, action, target, changes = {}, requestId } = entry;
  return {
    id: _id,
    at: at.toISOString(),
    actor,
    action,
    target: { kind: target.kind, id: target.id, name: target.name ?? null },
    changes: Object.fromEntries(
      Object.entries(changes).map(([field, { from = null, to = null }]) => [field, { from, to }]),
    ),
    requestId: requestId ?? null,
  };
}
