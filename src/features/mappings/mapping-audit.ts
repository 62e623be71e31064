import type { Actor } from '../../core/actors/actor.js';
import type { AuditAction } from '../../core/audit/audit-actions.js';
import { type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { changesBetween } from '../../core/audit/changes-between.js';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import { withLocale } from '../../lib/translate.js';
import { describeCondition } from './describe-condition.js';
import type { Mapping } from './mapping-model.js';

/** The entry of a new mapping, with all that it is made of. `groups` are the guild's, whose names the log shows. */
export function entryOfCreation(actor: Actor, mapping: Mapping, groups: readonly LinkedGroup[]): NewEntry {
  return entryOf(actor, 'mapping.created', mapping, { before: null, after: mapping, groups });
}

/** The entry of what a change of a mapping changes. */
export function entryOfUpdate(actor: Actor, before: Mapping, after: Mapping, groups: readonly LinkedGroup[]): NewEntry {
  return entryOf(actor, 'mapping.updated', after, { before, after, groups });
}

/** The entry of the removal of a mapping, with all that it was made of. */
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

/** Most mappings have nothing dangerous about them, and nothing is said of that. */
const told = (mapping: Mapping | null) =>
  mapping && {
    ...mapping,
    nickname: mapping.nickname ?? null,
    confirmedDangers: mapping.confirmedDangers?.length ? mapping.confirmedDangers : null,
  };
type Told = NonNullable<ReturnType<typeof told>>;

/** The fields that differ, before and after; conditions are put into words. `mapping` is what the entry is about. */
function entryOf(
  actor: Actor,
  action: AuditAction,
  mapping: Mapping,
  { before, after, groups }: { before: Mapping | null; after: Mapping | null; groups: readonly LinkedGroup[] },
): NewEntry {
  const { _id: id, guildId, name } = mapping;
  const changes = changesBetween(told(before), told(after), audited, (mapping, field) =>
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

function inWords(mapping: Told, field: (typeof audited)[number], groups: readonly LinkedGroup[]): unknown {
  // One log is read by many, and filtered: it has one language, whatever the door.
  return field === 'condition' ? withLocale('en', () => describeCondition(mapping.condition, groups)) : mapping[field];
}
