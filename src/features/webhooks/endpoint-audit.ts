import type { Actor } from '../../core/actors/actor.js';
import type { AuditAction } from '../../core/audit/audit-actions.js';
import { type Changes, type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { changesBetween } from '../../core/audit/changes-between.js';
import type { WebhookEndpoint } from './endpoint-model.js';

const descriptive = ['url', 'events', 'description'] as const;
const switching = ['enabled', 'disabledReason'] as const;
type Audited = (typeof descriptive | typeof switching)[number];

/** The entry for a new or removed endpoint, with all its fields. */
export function entryOfEndpoint(
  actor: Actor,
  action: 'webhook.created' | 'webhook.removed',
  endpoint: WebhookEndpoint,
): NewEntry {
  const [before, after] = action === 'webhook.created' ? [null, endpoint] : [endpoint, null];
  return entryOf(actor, action, endpoint, changesOf(before, after, [...descriptive, ...switching]));
}

/** The entries for the changed fields; turning an endpoint on or off is its own entry. */
export function entriesOfChange(actor: Actor, before: WebhookEndpoint, after: WebhookEndpoint): NewEntry[] {
  const described = changesOf(before, after, descriptive);
  const action = after.enabled ? 'webhook.enabled' : 'webhook.disabled';
  return [
    ...(Object.keys(described).length > 0 ? [entryOf(actor, 'webhook.changed', after, described)] : []),
    ...(before.enabled === after.enabled ? [] : [entryOf(actor, action, after, changesOf(before, after, switching))]),
  ];
}

/** A rotation's entry: the new and the old secret's fingerprints, and until when the old one signs. */
export function entryOfRotation(
  actor: Actor,
  before: WebhookEndpoint,
  after: Pick<WebhookEndpoint, 'secrets'>,
): NewEntry {
  const [old, added] = [before.secrets[0], after.secrets[0]];
  const kept = after.secrets.find(({ fingerprint }) => fingerprint === old?.fingerprint);
  return entryOf(actor, 'webhook.secret_rotated', before, {
    fingerprint: { from: old?.fingerprint ?? null, to: added?.fingerprint ?? null },
    oldSecretValidUntil: { from: null, to: kept?.validUntil ?? added?.createdAt ?? null },
  });
}

export function entryOfTest(actor: Actor, endpoint: WebhookEndpoint, event: string): NewEntry {
  return entryOf(actor, 'webhook.tested', endpoint, { event: { from: null, to: event } });
}

function entryOf(actor: Actor, action: AuditAction, endpoint: WebhookEndpoint, changes: Changes): NewEntry {
  const { _id: id, guildId, url } = endpoint;
  return newEntry({ guildId, actor, action, target: { kind: 'webhook', id, name: new URL(url).host }, changes });
}

function changesOf(before: WebhookEndpoint | null, after: WebhookEndpoint | null, fields: readonly Audited[]): Changes {
  return changesBetween(before, after, fields, shown);
}

/**
 * Only scheme and host: a URL's path and query are often secret, and more people read the log than may see the
 * endpoint.
 */
function shown(endpoint: WebhookEndpoint, field: Audited): unknown {
  return field === 'url' ? `${new URL(endpoint.url).origin}/…` : endpoint[field];
}
