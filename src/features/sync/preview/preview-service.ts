import { z } from 'zod';
import { type Actor, personBehind } from '../../../core/actors/actor.js';
import { findGroups } from '../../../core/groups/group-service.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { guildShare } from '../../../core/guilds/guild-share.js';
import { settingsWished, type WishedSettings } from '../../../core/settings/guild-settings.js';
import { restrictionsCeilingOf } from '../../../core/settings/restrictions-reach.js';
import { readVersionedSettings } from '../../../core/settings/settings-service.js';
import { decodeCursor, encodeCursor } from '../../../lib/cursor.js';
import { Conflict, InvalidRequest } from '../../../lib/errors.js';
import { hashSecret, snowflake } from '../../../lib/ids.js';
import { KeyedQueue } from '../../../lib/keyed-queue.js';
import { readGuildFacts } from '../../../platforms/discord/guild-facts.js';
import type { MappingDraft } from '../../mappings/mapping-draft.js';
import { beginning, type PlannedMember } from '../plan/guild-plan.js';
import { readRules, readRulesKey, rulesKeyOf } from '../plan/guild-rules.js';
import type { StoredPlan } from '../plan/plan-model.js';
import { type MappingChange, rulesOfChange, rulesOfDrafts } from './preview-drafts.js';
import { PreviewRun } from './preview-run.js';
import { findPreview, keepPreview, notePreviewGrowth } from './preview-store.js';
import { type PreviewSummary, type PreviewWarning, previewWarnings, summarize } from './preview-summary.js';
import { isShown, mostOfOnePerson, previewExpired, readStored } from './stored-previews.js';

/** A preview's people (all by default), and the rules to use in place of the stored ones ("what if"). */
export interface PreviewWish {
  memberIds?: readonly string[] | undefined;
  mappings?: readonly MappingDraft[] | undefined;
  change?: MappingChange | undefined;
  settings?: WishedSettings | undefined;
}

/** A preview part. The summary and the warnings are about all its parts so far. */
export interface Preview {
  previewId: string;
  members: readonly PlannedMember[];
  summary: PreviewSummary;
  warnings: PreviewWarning[];
  nextCursor: string | null;
}

/**
 * Predicts the guild's resync, by stored or draft rules; only the preview itself is written (RESYNC-21). In a large
 * guild one call covers a part. `cursor` with the same request continues under the same previewId for 15 minutes.
 * Previews over all members run one at a time in a guild (API-96). If that is impossible (a restart, another process,
 * too large), it continues from there under a new one. Throws InvalidRequest, PlanLimitReached, Forbidden, NotFound
 * `mapping_not_found`, and GamePlatformUnavailable or ChatPlatformUnavailable.
 */
export async function previewSync(guild: Guild, actor: Actor, wish: PreviewWish, cursor?: string): Promise<Preview> {
  const requestKey = hashSecret(JSON.stringify([guild._id, wish.memberIds, wish.mappings, wish.settings, wish.change]));
  const place = readCursor(cursor, requestKey);
  const read = () => readings.add(askerOf(guild, actor), () => readPart(guild, actor, wish, { requestKey, place }));
  if (wish.memberIds !== undefined) return read();
  const goesOn = place !== undefined && runOf(guild, requestKey, place) !== undefined;
  return guildShare.run(guild._id, read, { goesOn });
}

/** The unfinished preview that the same request's cursor continues. */
function runOf({ _id: guildId }: Guild, requestKey: string, { previewId, after }: CursorPlace): PreviewRun | undefined {
  const kept = findPreview(guildId, previewId);
  return kept?.requestKey === requestKey && kept.covers(after) ? kept : undefined;
}

/** One person's concurrent readings, limited to their kept previews; further ones wait. */
const readings = new KeyedQueue(mostOfOnePerson);

async function readPart(
  guild: Guild,
  actor: Actor,
  wish: PreviewWish,
  { requestKey, place }: { requestKey: string; place: ReturnType<typeof readCursor> },
): Promise<Preview> {
  const after = place?.after ?? beginning;
  const run = (place && runOf(guild, requestKey, place)) ?? (await begin(guild, actor, wish, { requestKey, after }));
  const { members, next } = await run.read(after);
  notePreviewGrowth(run);
  const [facts, groups] = await Promise.all([readGuildFacts(guild._id), findGroups(guild._id)]);
  const { previewId, differing, looked } = run;
  const rules = { ...run.rules, missing: new Set([...run.rules.missing, ...run.gone]) };
  const summary = summarize(differing, looked, rules.settings);
  return {
    previewId,
    members,
    summary,
    warnings: previewWarnings({ rules, facts, groups, summary, differing }),
    nextCursor: next === null ? null : encodeCursor({ previewId, requestKey, after: next }),
  };
}

/**
 * The plan shown so far by a preview, from any process, for a resync that makes exactly these changes (RESYNC-22).
 * Throws AppError `preview_expired` (gone) if it is removed, or the guild's mappings or settings have changed since.
 * Throws Conflict `preview_of_drafts`, and `preview_unfinished` before its first part.
 */
export async function planOfPreview(guild: Guild, previewId: string): Promise<StoredPlan> {
  const stored = await readStored(guild._id, previewId);
  if (!isShown(stored)) return stored;
  if (stored.rulesKey === undefined) {
    throw new Conflict('preview_of_drafts', 'This preview shows drafts. Save them first, then preview again.');
  }
  if (stored.parts === 0) {
    throw new Conflict('preview_unfinished', "This preview isn't finished. Continue it with its nextCursor first.");
  }
  if (stored.rulesKey !== (await readRulesKey(guild))) {
    throw previewExpired('The mappings or settings have changed since this preview. Create a new one.');
  }
  return stored;
}

const cursorPlace = z.strictObject({
  previewId: z.string(),
  requestKey: z.string(),
  after: z.union([z.literal(beginning), snowflake]),
});
type CursorPlace = z.output<typeof cursorPlace>;

function readCursor(cursor: string | undefined, requestKey: string): CursorPlace | undefined {
  try {
    const place = decodeCursor(cursorPlace, cursor);
    if (place === undefined || place.requestKey === requestKey) return place;
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
  }
  const message = 'is not a cursor of this preview: send it with the same memberIds, mappings, change and settings';
  throw new InvalidRequest([{ path: 'cursor', message }]);
}

async function begin(
  guild: Guild,
  actor: Actor,
  { memberIds, mappings, change, settings }: PreviewWish,
  place: { requestKey: string; after: string },
): Promise<PreviewRun> {
  const drafts = await rulesOfWish(guild, actor, { mappings, change });
  const rules = await readRules(guild, {
    ...(drafts !== undefined && { mappings: drafts }),
    ...(settings !== undefined && { settings: await draftSettings(guild, actor, settings) }),
  });
  const rulesKey = drafts === undefined && settings === undefined ? rulesKeyOf(rules) : null;
  const run = new PreviewRun({ guild, actor, askedBy: askerOf(guild, actor), rules, memberIds, rulesKey, ...place });
  keepPreview(run);
  return run;
}

async function draftSettings({ _id: guildId }: Guild, actor: Actor, wish: WishedSettings) {
  const stored = await readVersionedSettings(guildId);
  const settings = settingsWished(wish, stored.settings);
  const restrictionsCeiling = await restrictionsCeilingOf(guildId, actor, stored, settings);
  return { settings, restrictionsCeiling };
}

/** A wish's checked draft mappings; undefined: the stored ones. */
async function rulesOfWish(guild: Guild, actor: Actor, { mappings, change }: PreviewWish) {
  if (change !== undefined) return await rulesOfChange(guild, actor, change);
  return mappings === undefined ? undefined : await rulesOfDrafts(guild, actor, mappings);
}

/** Previews are counted by person (RESYNC-27), tokens as their maker, and the command line's by guild. */
const askerOf = ({ _id: guildId }: Guild, actor: Actor): string => personBehind(actor) ?? `${actor.id} ${guildId}`;
