import type { Actor } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import { type LinkedGroup, LinkedGroups } from '../../core/groups/group-model.js';
import { detachGroup, groupNotFound } from '../../core/groups/group-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { groupIdsOfTemplate } from '../../core/settings/nickname-template.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { Conflict } from '../../lib/errors.js';
import { withLocale } from '../../lib/translate.js';
import { describeCondition } from './describe-condition.js';
import { type Mapping, mappingsOfGroup, removeMappingsOfGroup, withMappingsLease } from './mapping-service.js';

/**
 * Detaches a group from a guild. With `cascade` the mappings that name it go too, each with its own audit entry;
 * `mappings` is their number as shown to the caller. Throws NotFound `group_not_found`. Throws Conflict `group_in_use`
 * if the settings' nickname shows the group, and, naming those mappings, without `cascade` or for another number.
 */
export async function removeGroup(
  guild: Guild,
  actor: Actor,
  groupId: string,
  { cascade = false, mappings }: { cascade?: boolean; mappings?: number | undefined } = {},
): Promise<void> {
  const guildId = guild._id;
  const entry = await withMappingsLease(guildId, async () => {
    const group = await LinkedGroups.findOne({ guildId, groupId });
    if (group === null) throw groupNotFound();
    await requireNotShown(group);
    const users = await mappingsOfGroup(guildId, groupId);
    if (cascade ? users.length !== (mappings ?? users.length) : users.length > 0) throw inUse(group, users);
    if (cascade) await removeMappingsOfGroup(guild, actor, groupId);
    const target = { kind: 'group', id: groupId, name: group.name };
    const entry = newEntry({ guildId, actor, action: 'group.removed', target });
    if (!(await detachGroup(group, entry))) throw groupNotFound();
    return entry;
  });
  await enterLog(entry);
}

/** Refuses a group in the settings' nickname, since `cascade` removes only mappings. */
async function requireNotShown({ guildId, groupId, name }: LinkedGroup): Promise<void> {
  const { nickname } = await readSettings(guildId);
  if (!groupIdsOfTemplate(nickname.template).includes(groupId)) return;
  const words = `The nickname template in the settings shows the group ${name}. Change the template first.`;
  throw new Conflict('group_in_use', words, { mappingIds: [] });
}

function inUse(group: LinkedGroup, users: readonly Mapping[]): Conflict {
  const { name } = group;
  const named = users.map(
    (mapping) => mapping.name ?? withLocale('en', () => describeCondition(mapping.condition, [group])),
  );
  const words = `The group ${name} is used by mappings (${named.join('; ')}). Remove them first, or all together with cascade.`;
  return new Conflict('group_in_use', words, {
    mappingIds: users.map((mapping) => mapping._id),
  });
}
