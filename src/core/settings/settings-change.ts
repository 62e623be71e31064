import { entityTag } from '../../lib/entity-tag.js';
import { Conflict, VersionMismatch } from '../../lib/errors.js';
import { Signal } from '../../lib/signal.js';
import type { Actor } from '../actors/actor.js';
import { type Changes, enterLog, newEntry } from '../audit/audit-service.js';
import { changesBetween } from '../audit/changes-between.js';
import type { Guild } from '../guilds/guild-model.js';
import { enqueueReconciliation } from '../guilds/pending-reconciliations.js';
import { type GuildSettings, isSection } from './guild-settings.js';
import { restrictionsCeilingOf } from './restrictions-reach.js';
import { requireMeaningful } from './settings-rules.js';
import { readVersionedSettings, replaceSettings, type VersionedSettings } from './settings-service.js';

/** Maximum attempts; a guild's settings never have this many simultaneous changes. */
const mostTries = 10;

const beginning = new Signal<[guildId: string], Promise<void>>();

/** Adds a check before a guild enforces by a change of its settings; it throws its refusal (OBS-141). */
export const onBeginToEnforce = beginning.on;

/**
 * Applies `change` to a guild's settings and logs the difference; nothing is written without a difference. `onlyIf`
 * decides by the current entity tag whether the version may be replaced. Throws VersionMismatch if it may not, and as
 * `requireMeaningful` and the checks before enforcing do; then nothing changes. `by`: a switch has checked, and makes the
 * shown differences itself.
 */
export async function changeSettings(
  guild: Guild,
  actor: Actor,
  change: (current: GuildSettings) => GuildSettings,
  onlyIf: (tag: string) => boolean = () => true,
  by: 'hand' | 'switch' = 'hand',
): Promise<VersionedSettings> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const before = await readVersionedSettings(guild._id);
    if (!onlyIf(entityTag(before.version))) throw new VersionMismatch();
    const settings = change(before.settings);
    const changes = differences(before.settings, settings);
    if (Object.keys(changes).length === 0) return before;
    await requireMeaningful(guild, actor, before.settings, settings);
    const restrictionsCeiling = await restrictionsCeilingOf(guild._id, actor, before, settings);
    const target = { kind: 'settings', id: guild._id };
    const entry = newEntry({ guildId: guild._id, actor, action: 'settings.updated', target, changes });
    if (by === 'hand' && beginsToEnforce(before.settings, settings)) await beginByHand(guild._id, actor);
    // If the settings changed in between, the next attempt and `onlyIf` see the new ones.
    if (!(await replaceSettings(guild._id, { settings, version: before.version, restrictionsCeiling }, entry)))
      continue;
    await enterLog(entry);
    return { settings, version: before.version + 1, restrictionsCeiling };
  }
  throw manyAtOnce();
}

/** Rolelink itself puts settings back as they were, whatever became of the roles. */
async function beginByHand(guildId: string, { kind }: Actor): Promise<void> {
  if (kind !== 'system') await Promise.all(beginning.emit(guildId));
  // Before the write, so that a kill leaves no difference from the observing time to the next regular resync (OBS-140).
  await enqueueReconciliation([guildId]);
}

export const beginsToEnforce = (before: GuildSettings, after: GuildSettings): boolean =>
  before.mode === 'observe' && after.mode === 'enforce';

/**
 * Makes the server's owner the restrictions' author, so that they apply to every member (RESTR-16). `onlyIf` decides by
 * the current entity tag. Restrictions already confirmed stay unchanged. Throws VersionMismatch, Conflict `busy`.
 */
export async function confirmRestrictions(
  guild: Guild,
  actor: Actor,
  onlyIf: (tag: string) => boolean,
): Promise<VersionedSettings> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const before = await readVersionedSettings(guild._id);
    if (!onlyIf(entityTag(before.version))) throw new VersionMismatch();
    if (before.restrictionsCeiling === null) return before;
    const target = { kind: 'settings', id: guild._id };
    const entry = newEntry({ guildId: guild._id, actor, action: 'settings.confirmed', target });
    const confirmed = { ...before, restrictionsCeiling: null };
    if (!(await replaceSettings(guild._id, confirmed, entry))) continue;
    await enterLog(entry);
    return { ...confirmed, version: before.version + 1 };
  }
  throw manyAtOnce();
}

const manyAtOnce = (): Conflict =>
  new Conflict('busy', 'Several people are changing the settings. Try again in a moment.');

export function differences(before: object, after: object): Changes {
  const [was, is] = [Object.fromEntries(fieldsOf(before)), Object.fromEntries(fieldsOf(after))];
  return changesBetween(was, is, Object.keys(is));
}

function fieldsOf(section: object, path = ''): [string, unknown][] {
  return Object.entries(section).flatMap(([name, value]): [string, unknown][] =>
    isSection(value) ? fieldsOf(value, `${path}${name}.`) : [[path + name, value]],
  );
}
