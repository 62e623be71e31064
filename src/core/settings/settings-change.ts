import { AppError, Conflict } from '../../lib/errors.js';
import type { Actor } from '../actors/actor.js';
import { type Changes, recordAudit } from '../audit/audit-service.js';
import { changesBetween } from '../audit/changes-between.js';
import type { Guild } from '../guilds/guild-model.js';
import { type GuildSettings, isSection } from './guild-settings.js';
import { requireMeaningful } from './settings-rules.js';
import { readVersionedSettings, replaceSettings, type VersionedSettings } from './settings-service.js';

/** More than ever change one guild's settings in the same moment. */
const mostTries = 10;

/**
 * Changes a guild's settings to what `change` makes of them as they are, and writes down what is different then; nothing
 * is written when nothing is. `onlyIf` says of the version that there is whether it may be replaced. Throws AppError
 * `version_mismatch` (precondition) when it may not, and what `requireMeaningful` throws; nothing is changed then.
 */
export async function changeSettings(
  guild: Guild,
  actor: Actor,
  change: (current: GuildSettings) => GuildSettings,
  onlyIf: (version: number) => boolean = () => true,
): Promise<VersionedSettings> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const before = await readVersionedSettings(guild._id);
    if (!onlyIf(before.version)) throw versionMismatch();
    const settings = change(before.settings);
    const changes = differences(before.settings, settings);
    if (Object.keys(changes).length === 0) return before;
    await requireMeaningful(guild, before.settings, settings);
    // Who came in between is seen at the next try, and by `onlyIf`.
    if (!(await replaceSettings(guild._id, { settings, version: before.version }))) continue;
    const target = { kind: 'settings', id: guild._id };
    await recordAudit({ guildId: guild._id, actor, action: 'settings.updated', target, changes });
    return { settings, version: before.version + 1 };
  }
  throw new Conflict('busy', 'The settings are being changed by many at once. Try again in a moment.');
}

/** What is different, by its path (`nickname.template`). */
function differences(before: object, after: object): Changes {
  const [was, is] = [Object.fromEntries(fieldsOf(before)), Object.fromEntries(fieldsOf(after))];
  return changesBetween(was, is, Object.keys(is));
}

function fieldsOf(section: object, path = ''): [string, unknown][] {
  return Object.entries(section).flatMap(([name, value]): [string, unknown][] =>
    isSection(value) ? fieldsOf(value, `${path}${name}.`) : [[path + name, value]],
  );
}

function versionMismatch(): AppError {
  const words = 'The settings have been changed since you read them. Read them again, and change what is there now.';
  return new AppError('precondition_failed', 'version_mismatch', words);
}
