import { isDeepStrictEqual } from 'node:util';
import { type GuildSettings, isSection, settingsWished } from '../../core/settings/guild-settings.js';
import { groupIdsOfTemplate } from '../../core/settings/nickname-template.js';
import { differences } from '../../core/settings/settings-change.js';
import { groupIdsNamed } from '../mappings/mapping-draft.js';
import type { MappingsSnapshot } from '../mappings/mappings-snapshot.js';
import { stableKey } from './config-diff.js';
import { type ConfigMapping, configOf, entryOf, type GuildConfig, rolesById } from './config-document.js';
import type { ConfigDelta } from './kept-undos.js';

/** A guild's groups, mappings and settings at one time. */
export interface RulesAtOnce {
  snapshot: MappingsSnapshot;
  settings: GuildSettings;
}

/** The mappings, with their roles by id, independent of their names. Pure. */
export const byIds = ({ mappings }: MappingsSnapshot): ConfigMapping[] =>
  mappings.map((mapping) => entryOf(mapping, new Map()));

/** Values that are each taken once, by an equal one. Found by key: comparing each with each takes half a minute. */
class Untaken {
  readonly #counts = new Map<string, number>();

  constructor(values: readonly unknown[]) {
    for (const key of values.map(stableKey)) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** How many values are left that equal this one. */
  count(value: unknown): number {
    return this.#counts.get(stableKey(value)) ?? 0;
  }

  /** Takes a value; returns whether one was left. */
  take(value: unknown): boolean {
    const key = stableKey(value);
    const count = this.#counts.get(key) ?? 0;
    if (count > 0) this.#counts.set(key, count - 1);
    return count > 0;
  }

  isEmpty(): boolean {
    return [...this.#counts.values()].every((count) => count === 0);
  }
}

/** The items in the second list that the first lacks, with multiplicity. Pure. */
function missingIn<T>(first: readonly T[], second: readonly T[]): T[] {
  const left = new Untaken(first);
  return second.filter((entry) => !left.take(entry));
}

/** The parts that came and went between two states of a guild's rules. Pure. */
export function deltaBetween(before: RulesAtOnce, after: RulesAtOnce): ConfigDelta {
  const groupIds = ({ snapshot }: RulesAtOnce) => snapshot.groups.map(({ groupId }) => groupId);
  const both = <T>(was: readonly T[], is: readonly T[]) => ({ came: missingIn(was, is), went: missingIn(is, was) });
  return {
    groups: both(groupIds(before), groupIds(after)),
    mappings: both(byIds(before.snapshot), byIds(after.snapshot)),
    settings: Object.entries(differences(before.settings, after.settings)).map(([path, { from, to }]) => {
      return { path, from, to };
    }),
  };
}

/** Whether nothing came or went. Pure. */
export const isEmpty = ({ groups, mappings, settings }: ConfigDelta): boolean =>
  [groups.came, groups.went, mappings.came, mappings.went, settings].every((part) => part.length === 0);

/** The current configuration without one change's effect; null if a part of that was changed since. Pure. */
export function withoutDelta(
  { snapshot, settings }: RulesAtOnce,
  { groups, mappings, settings: changed }: ConfigDelta,
): GuildConfig | null {
  const now = configOf(snapshot, settings);
  const ids = byIds(snapshot);
  const toGo = new Untaken(mappings.came);
  const kept = now.mappings.filter((_, index) => !toGo.take(ids[index]));
  const areThere = groups.came.every((groupId) => now.groups.includes(groupId));
  const areSet = changed.every(({ path, to }) => isDeepStrictEqual(fieldOf(settings, path), to));
  if (!toGo.isEmpty() || !areThere || !areSet) return null;
  const stay = now.groups.filter((groupId) => !groups.came.includes(groupId) && !groups.went.includes(groupId));
  const restored = structuredClone(settings);
  for (const { path, from } of changed) setField(restored, path, from);
  return { groups: [...stay, ...groups.went], mappings: [...kept, ...mappings.went], settings: restored };
}

/** The two ends of a change of the whole configuration: the document, and the previous configuration. */
export interface ChangeEnds {
  wish: GuildConfig;
  before: GuildConfig;
}

/** A change of the whole configuration that may be written in part. */
export interface BegunChange extends ChangeEnds {
  /** The ids of the previous mappings, in their order. Missing in older versions' changes. */
  ids?: string[];
}

/**
 * The current configuration with a begun change finished or taken back. Only the differences between its two
 * configurations are written: anything else may be somebody else's later change, as may the groups that this needs.
 * Pure.
 */
export function withCompleted(
  now: RulesAtOnce,
  { wish, before, ids = [] }: BegunChange,
  end: keyof ChangeEnds,
): GuildConfig {
  const current = configOf(now.snapshot, now.settings);
  const [from, to] = end === 'wish' ? [before, wish] : [wish, before];
  const places = new Map(now.snapshot.mappings.map(({ _id }, place) => [_id, place]));
  const formerIds = end === 'before' ? ids : [];
  const mappings = mergedMappings(current.mappings, from.mappings, to.mappings, {
    idOf: rolesById(now.snapshot.facts),
    placeNow: formerIds.map((id) => places.get(id)),
  });
  const was = settingsWished(before.settings, now.settings);
  const wished = settingsWished(wish.settings, was);
  const settings = structuredClone(now.settings);
  for (const [path, sides] of Object.entries(differences(was, wished))) {
    const [first, last] = end === 'wish' ? [sides.from, sides.to] : [sides.to, sides.from];
    if (isDeepStrictEqual(fieldOf(settings, path) ?? null, first)) setField(settings, path, last);
  }
  const named = [...mappings.flatMap(groupIdsNamed), ...groupIdsOfTemplate(settings.nickname.template)];
  const needed = new Set([...to.groups, ...named]);
  const stay = current.groups.filter((groupId) => !from.groups.includes(groupId) || needed.has(groupId));
  const came = to.groups.filter((groupId) => !from.groups.includes(groupId) && !stay.includes(groupId));
  return { groups: [...stay, ...came], mappings, settings };
}

/**
 * The current mappings, with as many of each as a change leaves of it where it lowers or raises their number. One that
 * somebody else has edited since doesn't come back beside the edit. `placeNow`: of the mappings in `to`, if known.
 */
function mergedMappings(
  current: readonly ConfigMapping[],
  from: readonly ConfigMapping[],
  to: readonly ConfigMapping[],
  { idOf, placeNow }: { idOf: (role: string) => string; placeNow: readonly (number | undefined)[] },
): ConfigMapping[] {
  const keyOf = ({ roles, ...rest }: ConfigMapping): string => stableKey({ ...rest, roles: roles.map(idOf) });
  const keyed = (entries: readonly ConfigMapping[]) => new Untaken(entries.map(keyOf));
  const [before, after, left] = [keyed(from), keyed(to), keyed(to)];
  const growth = (entry: ConfigMapping): number => after.count(keyOf(entry)) - before.count(keyOf(entry));
  const kept = current.filter((entry) => growth(entry) >= 0 || left.take(keyOf(entry)));
  const there = keyed(kept);
  const isEdited = (index: number): boolean => {
    const now = current[placeNow[index] ?? -1];
    return now !== undefined && before.count(keyOf(now)) === 0;
  };
  const added = to.filter((entry, index) => growth(entry) > 0 && !there.take(keyOf(entry)) && !isEdited(index));
  return [...kept, ...added];
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
