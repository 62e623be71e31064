import type { Actor } from '../../core/actors/actor.js';
import type { AuditAction } from '../../core/audit/audit-actions.js';
import { type Changes, recordAudit } from '../../core/audit/audit-service.js';
import { changesBetween } from '../../core/audit/changes-between.js';
import type { WebhookEndpoint } from './endpoint-model.js';

const descriptive = ['url', 'events', 'description'] as const;
const switching = ['enabled', 'disabledReason'] as const;
type Audited = (typeof descriptive | typeof switching)[number];

/** Logs a new or removed endpoint with all its fields. */
export function recordEndpoint(
  actor: Actor,
  action: 'webhook.created' | 'webhook.removed',
  endpoint: WebhookEndpoint,
): Promise<void> {
  const [before, after] = action === 'webhook.created' ? [null, endpoint] : [endpoint, null];
  return record(actor, action, endpoint, changesOf(before, after, [...descriptive, ...switching]));
}

/** Logs the changed fields; turning an endpoint on or off is an entry of its own. */
export async function recordEndpointChange(
  actor: Actor,
  before: WebhookEndpoint,
  after: WebhookEndpoint,
): Promise<void> {
  const described = changesOf(before, after, descriptive);
  if (Object.keys(described).length > 0) await record(actor, 'webhook.changed', after, described);
  if (before.enabled === after.enabled) return;
  const action = after.enabled ? 'webhook.enabled' : 'webhook.disabled';
  await record(actor, action, after, changesOf(before, after, switching));
}

/** Logs a rotation: the fingerprints of the new and the old secret, and until when the old one signs. */
export function recordRotation(actor: Actor, before: WebhookEndpoint, after: WebhookEndpoint): Promise<void> {
  const [old, added] = [before.secrets[0], after.secrets[0]];
  const kept = after.secrets.find(({ fingerprint }) => fingerprint === old?.fingerprint);
  return record(actor, 'webhook.secret_rotated', after, {
    fingerprint: { from: old?.fingerprint ?? null, to: added?.fingerprint ?? null },
    oldSecretValidUntil: { from: null, to: kept?.validUntil ?? added?.createdAt ?? null },
  });
}

/** Logs that somebody sent a test event. */
export function recordTest(actor: Actor, endpoint: WebhookEndpoint, event: string): Promise<void> {
  return record(actor, 'webhook.tested', endpoint, { event: { from: null, to: event } });
}

function record(actor: Actor, action: AuditAction, endpoint: WebhookEndpoint, changes: Changes): Promise<void> {
  const { _id: id, guildId, url } = endpoint;
  return recordAudit({ guildId, actor, action, target: { kind: 'webhook', id, name: new URL(url).host }, changes });
}

function changesOf(before: WebhookEndpoint | null, after: WebhookEndpoint | null, fields: readonly Audited[]): Changes {
  return changesBetween(before, after, fields, shown);
}

/**
 * Only scheme and host: path and query of a URL are often secret, and more people read the log than may see the
 * endpoint.
 */
function shown(endpoint: WebhookEndpoint, field: Audited): unknown {
  return field === 'url' ? `${new URL(endpoint.url).origin}/…` : endpoint[field];
}
