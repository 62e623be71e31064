import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../core/actors/actor.js';
import { holds } from '../../core/actors/team-roles.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { type GuildSettings, isSection } from '../../core/settings/guild-settings.js';
import { differences } from '../../core/settings/settings-change.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { AppError, Forbidden } from '../../lib/errors.js';
import { updateMapping } from '../mappings/mapping-update.js';
import { type MappingsSnapshot, readMappingsSnapshot } from '../mappings/mappings-snapshot.js';
import { type ConfigMapping, configOf, entryOf, type GuildConfig } from './config-document.js';
import { applyConfig, tagged } from './config-service.js';
import { type ConfigDelta, dropDelta, findDelta, keepDelta } from './kept-undos.js';

interface Snapshot {
  snapshot: MappingsSnapshot;
  settings: GuildSettings;
}

async function readSnapshot(guild: Guild): Promise<Snapshot> {
  const [snapshot, settings] = await Promise.all([readMappingsSnapshot(guild), readSettings(guild._id)]);
  return { snapshot, settings };
}

/**
 * Changes a guild's groups, mappings or settings, and stores their previous state (CONF-35). `undoId` is null if
 * nothing has changed. `mode`: as it is afterwards. Throws as `work` does, ChatPlatformUnavailable.
 */
export async function keepingUndo<T>(
  guild: Guild,
  work: () => Promise<T>,
): Promise<{ result: T; undoId: string | null; mode: GuildSettings['mode'] }> {
  const before = await readSnapshot(guild);
  const result = await work();
  const after = await readSnapshot(guild);
  const delta = deltaBetween(before, after);
  const undoId = isEmpty(delta) ? null : await keepDelta(guild._id, delta);
  return { result, undoId, mode: after.settings.mode };
}

/**
 * Restores everything that one change touched to its previous state, and nothing else.
 * Throws AppError `nothing_to_answer` if it was undone already or a day has passed. Throws AppError `version_mismatch`
 * if parts were changed since, Forbidden for settings below `admin`, and as `applyConfig` does.
 */
export async function undoChange(guild: Guild, actor: Actor, undoId: string): Promise<void> {
  const delta = await findDelta(guild._id, undoId);
  if (delta === null) throw tooLate();
  if (delta.settings.length > 0 && !holds(actor.role, 'admin')) {
    throw new Forbidden('forbidden', 'Only admins can undo a change of settings.');
  }
  const now = await readSnapshot(guild);
  const { tag } = tagged(configOf(now.snapshot, now.settings));
  const wish = withoutDelta(now, delta);
  const edited = editedBy(delta, now.snapshot);
  if (edited === null) await applyConfig(guild, actor, wish, (current) => current === tag);
  else await updateMapping(guild, actor, edited.mappingId, edited.draft);
  await dropDelta(guild._id, undoId);
}

/** The mapping, if editing it was the whole change; it keeps its id. Otherwise null. */
function editedBy({ groups, mappings, settings }: ConfigDelta, snapshot: MappingsSnapshot) {
  const [[is, ...otherCame], [was, ...otherWent]] = [mappings.came, mappings.went];
  const isMore = [otherCame, otherWent, groups.came, groups.went, settings].some((part) => part.length > 0);
  if (is === undefined || was === undefined || isMore) return null;
  const at = byIds(snapshot).findIndex((entry) => isDeepStrictEqual(entry, is));
  const { roles: roleIds, ...draft } = was;
  return { mappingId: snapshot.mappings[at]?._id ?? '', draft: { ...draft, roleIds } };
}

/** A mapping with its roles by id, independent of their names. */
const byIds = ({ mappings }: MappingsSnapshot): ConfigMapping[] =>
  mappings.map((mapping) => entryOf(mapping, new Map()));

/** The items in the second list that the first lacks, with multiplicity. Pure. */
function missingIn<T>(first: readonly T[], second: readonly T[]): T[] {
  const left = [...first];
  return second.filter((entry) => {
    const at = left.findIndex((other) => isDeepStrictEqual(other, entry));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function deltaBetween(before: Snapshot, after: Snapshot): ConfigDelta {
  const groupIds = ({ snapshot }: Snapshot) => snapshot.groups.map(({ groupId }) => groupId);
  const both = <T>(was: readonly T[], is: readonly T[]) => ({ came: missingIn(was, is), went: missingIn(is, was) });
  return {
    groups: both(groupIds(before), groupIds(after)),
    mappings: both(byIds(before.snapshot), byIds(after.snapshot)),
    settings: Object.entries(differences(before.settings, after.settings)).map(([path, { from, to }]) => {
      return { path, from, to };
    }),
  };
}

const isEmpty = ({ groups, mappings, settings }: ConfigDelta): boolean =>
  [groups.came, groups.went, mappings.came, mappings.went, settings].every((part) => part.length === 0);

/** The current configuration without one change's effect. Throws AppError `version_mismatch`. */
function withoutDelta(
  { snapshot, settings }: Snapshot,
  { groups, mappings, settings: changed }: ConfigDelta,
): GuildConfig {
  const now = configOf(snapshot, settings);
  const ids = byIds(snapshot);
  const toGo = [...mappings.came];
  const kept = now.mappings.filter((_, index) => {
    const at = toGo.findIndex((entry) => isDeepStrictEqual(entry, ids[index]));
    if (at !== -1) toGo.splice(at, 1);
    return at === -1;
  });
  const areThere = groups.came.every((groupId) => now.groups.includes(groupId));
  if (
    toGo.length > 0 ||
    !areThere ||
    !changed.every(({ path, to }) => isDeepStrictEqual(fieldOf(settings, path), to))
  ) {
    throw overtaken();
  }
  const stay = now.groups.filter((groupId) => !groups.came.includes(groupId) && !groups.went.includes(groupId));
  const restored = structuredClone(settings);
  for (const { path, from } of changed) setField(restored, path, from);
  return { groups: [...stay, ...groups.went], mappings: [...kept, ...mappings.went], settings: restored };
}

function fieldOf(settings: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((section, field) => (isSection(section) ? Reflect.get(section, field) : undefined), settings);
}

function setField(settings: object, path: string, value: unknown): void {
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  const section = steps.length === 0 ? settings : fieldOf(settings, steps.join('.'));
  if (isSection(section)) Reflect.set(section, last, value);
}

const tooLate = (): AppError =>
  new AppError('nothing_to_answer', "This can't be undone any more: it was already undone, or a day has passed.", {
    reason: 'undo',
  });

const overtaken = (): AppError =>
  new AppError(
    'version_mismatch',
    "This can't be undone: some of it has been changed since. Nothing has been changed now.",
    {
      reason: 'undo',
    },
  );
