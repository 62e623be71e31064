import type { Actor } from '../../core/actors/actor.js';
import type { AuditAction } from '../../core/audit/audit-actions.js';
import { recordAudit } from '../../core/audit/audit-service.js';
import { changesBetween } from '../../core/audit/changes-between.js';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import { findGroups } from '../../core/groups/linked-groups.js';
import { withLocale } from '../../lib/translate.js';
import { describeCondition } from './describe-condition.js';
import type { Mapping } from './mapping-model.js';

/** Writes down a new mapping, with all that it is made of. */
export function recordCreated(actor: Actor, mapping: Mapping): Promise<void> {
  return record(actor, 'mapping.created', mapping, null, mapping);
}

/** Writes down what a change of a mapping has changed. */
export function recordUpdated(actor: Actor, before: Mapping, after: Mapping): Promise<void> {
  return record(actor, 'mapping.updated', after, before, after);
}

/** Writes down the removal of a mapping, with all that it was made of. */
export function recordRemoved(actor: Actor, mapping: Mapping): Promise<void> {
  return record(actor, 'mapping.removed', mapping, mapping, null);
}

const audited = ['name', 'condition', 'roleIds', 'removeWhenUnmatched', 'enabled'] as const;

/** The fields that differ, before and after; conditions are put into words. */
async function record(
  actor: Actor,
  action: AuditAction,
  { _id: id, guildId, name }: Mapping,
  before: Mapping | null,
  after: Mapping | null,
): Promise<void> {
  const groups = await findGroups(guildId);
  const changes = changesBetween(before, after, audited, (mapping, field) => inWords(mapping, field, groups));
  await recordAudit({
    guildId,
    actor,
    action,
    target: { kind: 'mapping', id, ...(name !== null && { name }) },
    changes,
  });
}

function inWords(mapping: Mapping, field: (typeof audited)[number], groups: readonly LinkedGroup[]): unknown {
  // One log is read by many, and filtered: it has one language, whatever the door.
  return field === 'condition' ? withLocale('en', () => describeCondition(mapping.condition, groups)) : mapping[field];
}
