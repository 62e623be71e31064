import type { Actor } from '../../core/actors/actor.js';
import { holds } from '../../core/actors/team-roles.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { entityTagOf } from '../../lib/entity-tag.js';
import { AppError, Forbidden, VersionMismatch } from '../../lib/errors.js';
import type { MappingDraft } from '../mappings/mapping-draft.js';
import type { Mapping } from '../mappings/mapping-service.js';
import { updateMapping } from '../mappings/mapping-update.js';
import type { MappingsSnapshot } from '../mappings/mappings-snapshot.js';
import { byIds, deltaBetween, isEmpty, withoutDelta } from './config-delta.js';
import { stableKey } from './config-diff.js';
import { configOf } from './config-document.js';
import { applyConfig, readRules, tagged } from './config-service.js';
import { type ConfigDelta, dropDelta, findDelta, keepDelta } from './kept-undos.js';

/**
 * Changes a guild's groups, mappings or settings, and stores their previous state (CONF-35). `undoId` is null if
 * nothing has changed. `mode`: as it is afterwards. Throws as `work` does, ChatPlatformUnavailable.
 */
export async function keepingUndo<T>(
  guild: Guild,
  work: () => Promise<T>,
): Promise<{ result: T; undoId: string | null; mode: GuildSettings['mode'] }> {
  const before = await readRules(guild);
  const result = await work();
  const after = await readRules(guild);
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
  const now = await readRules(guild);
  const { tag } = tagged(configOf(now.snapshot, now.settings));
  const wish = withoutDelta(now, delta);
  if (wish === null) throw overtaken();
  const edited = editedBy(delta, now.snapshot);
  if (edited === null) await applyConfig(guild, actor, wish, (current) => current === tag);
  else await editBack(guild, actor, edited);
  await dropDelta(guild._id, undoId);
}

interface Edited {
  mapping: Mapping;
  /** As the mapping was. */
  draft: MappingDraft;
}

/** Restores an edited mapping unless somebody else changes it in the same moment. */
async function editBack(guild: Guild, actor: Actor, { mapping, draft }: Edited): Promise<void> {
  const tag = entityTagOf(mapping);
  try {
    await updateMapping(guild, actor, mapping._id, draft, (current) => current === tag);
  } catch (error) {
    throw error instanceof VersionMismatch ? overtaken() : error;
  }
}

/** The mapping, if its edit was the whole change; it keeps its id. Else null. Throws AppError `version_mismatch`. */
function editedBy({ groups, mappings, settings }: ConfigDelta, snapshot: MappingsSnapshot): Edited | null {
  const [[is, ...otherCame], [was, ...otherWent]] = [mappings.came, mappings.went];
  const isMore = [otherCame, otherWent, groups.came, groups.went, settings].some((part) => part.length > 0);
  if (is === undefined || was === undefined || isMore) return null;
  const key = stableKey(is);
  const mapping = snapshot.mappings[byIds(snapshot).findIndex((entry) => stableKey(entry) === key)];
  if (mapping === undefined) throw overtaken();
  const { roles: roleIds, ...draft } = was;
  return { mapping, draft: { ...draft, roleIds } };
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
