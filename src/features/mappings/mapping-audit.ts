import type { Actor } from '../../core/actors/actor.js';
import type { AuditAction } from '../../core/audit/audit-actions.js';
import { type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { changesBetween } from '../../core/audit/changes-between.js';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import { withLocale } from '../../lib/translate.js';
import { describeCondition } from './describe-condition.js';
import type { Mapping } from './mapping-model.js';

/** The entry for a new mapping with all its fields. `groups` are the guild's; the log shows their names. */
export function entryOfCreation(actor: Actor, mapping: Mapping, groups: readonly LinkedGroup[]): NewEntry {
  return entryOf(actor, 'mapping.created', mapping, { before: null, after: mapping, groups });
}

export function entryOfUpdate(actor: Actor, before: Mapping, after: Mapping, groups: readonly LinkedGroup[]): NewEntry {
  return entryOf(actor, 'mapping.updated', after, { before, after, groups });
}

export function entryOfRemoval(actor: Actor, mapping: Mapping, groups: readonly LinkedGroup[]): NewEntry {
  return entryOf(actor, 'mapping.removed', mapping, { before: mapping, after: null, groups });
}

const audited = [
  'name',
  'condition',
  'roleIds',
  'nickname',
  'removeWhenUnmatched',
  'enabled',
  'confirmedDangers',
  'ceilingRoleId',
] as const;

/** The logged fields. Most mappings have no dangerous permission, and then the field is left out. */
const loggedFields = (mapping: Mapping | null) =>
  mapping && {
    ...mapping,
    nickname: mapping.nickname ?? null,
    confirmedDangers: mapping.confirmedDangers?.length ? mapping.confirmedDangers : null,
  };
type LoggedFields = NonNullable<ReturnType<typeof loggedFields>>;

/** The fields that differ, before and after; conditions are put into words. `mapping` is the entry's subject. */
function entryOf(
  actor: Actor,
  action: AuditAction,
  mapping: Mapping,
  { before, after, groups }: { before: Mapping | null; after: Mapping | null; groups: readonly LinkedGroup[] },
): NewEntry {
  const { _id: id, guildId, name } = mapping;
  const changes = changesBetween(loggedFields(before), loggedFields(after), audited, (mapping, field) =>
    inWords(mapping, field, groups),
  );
  return newEntry({
    guildId,
    actor,
    action,
    target: { kind: 'mapping', id, ...(name !== null && { name }) },
    changes,
  });
}

function inWords(mapping: LoggedFields, field: (typeof audited)[number], groups: readonly LinkedGroup[]): unknown {
  // The log has one language for all readers and filters.
  return field === 'condition' ? withLocale('en', () => describeCondition(mapping.condition, groups)) : mapping[field];
}
