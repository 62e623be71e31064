import { trusted } from 'mongoose';
import { z } from 'zod';
import { findGroups } from '../../../core/groups/group-service.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import type { GuildSettings } from '../../../core/settings/guild-settings.js';
import { clock } from '../../../lib/clock.js';
import { decodeCursor, encodeCursor } from '../../../lib/cursor.js';
import { Conflict, InvalidRequest } from '../../../lib/errors.js';
import { hashSecret } from '../../../lib/ids.js';
import { readGuildFacts } from '../../../platforms/discord/guild-facts.js';
import type { MappingDraft } from '../../mappings/mapping-draft.js';
import { type Member, Members } from '../../members/member-model.js';
import { beginning, type PlannedMember, type ReadyPlan } from '../plan/guild-plan.js';
import { readRules, readRulesKey } from '../plan/guild-rules.js';
import { requireMeaningfulDrafts } from './preview-drafts.js';
import { PreviewRun } from './preview-run.js';
import { findPreview, keepPreview, notePreviewGrowth, previewExpired } from './preview-store.js';
import { type PreviewSummary, summarize } from './preview-summary.js';
import { type PreviewWarning, previewWarnings } from './preview-warnings.js';

/** Whom a preview is about (everybody, if left out) and by what it goes instead of what is stored ("what if"). */
export interface PreviewWish {
  memberIds?: readonly string[] | undefined;
  mappings?: readonly MappingDraft[] | undefined;
  settings?: GuildSettings | undefined;
}

/** A planned member, with the name of their game account as last seen. */
export interface PreviewedMember extends PlannedMember {
  gameUsername: string | null;
}

/** A part of a preview. The summary and the warnings are about all of its parts so far. */
export interface Preview {
  previewId: string;
  members: PreviewedMember[];
  summary: PreviewSummary;
  warnings: PreviewWarning[];
  nextCursor: string | null;
}

/**
 * What a resync of the guild would do now, or by draft rules: nothing is written anywhere (SPEC §4, §6.6). Of a large
 * guild one call covers a part; `cursor`, with the same wish, goes on under the same previewId for 15 minutes. Where
 * that is gone (a restart, another process, too large), it goes on under a new one, which covers what comes from there.
 * Throws InvalidRequest, PlanLimitReached, and GamePlatformUnavailable or ChatPlatformUnavailable.
 */
export async function previewSync(guild: Guild, wish: PreviewWish, cursor?: string): Promise<Preview> {
  const requestKey = hashSecret(JSON.stringify([guild._id, wish.memberIds, wish.mappings, wish.settings]));
  const place = readCursor(cursor, requestKey);
  const kept = place && findPreview(guild._id, place.previewId);
  const after = place?.after ?? beginning;
  const goesOn = kept?.requestKey === requestKey && kept.covers(after);
  const run = goesOn ? kept : await begin(guild, wish, { requestKey, after });
  const { members, next } = await run.read(after);
  notePreviewGrowth(run);
  const [named, facts, groups] = await Promise.all([
    withGameNames(guild._id, members),
    readGuildFacts(guild._id),
    findGroups(guild._id),
  ]);
  const { previewId, differing, looked } = run;
  const rules = { ...run.rules, missing: new Set([...run.rules.missing, ...run.gone]) };
  const summary = summarize(differing, looked, rules.settings);
  return {
    previewId,
    members: named,
    summary,
    warnings: previewWarnings({ rules, facts, groups, summary }),
    nextCursor: next === null ? null : encodeCursor({ previewId, requestKey, after: next }),
  };
}

/**
 * What a preview has shown so far, for a resync that does exactly this (SPEC §6.6).
 * Throws AppError `preview_expired` (gone) when it is not there any more, or the guild's mappings or settings are not
 * those that it was planned by; Conflict `preview_of_drafts`.
 */
export async function planOfPreview(guildId: string, previewId: string): Promise<ReadyPlan> {
  const run = findPreview(guildId, previewId);
  if (run === undefined) throw previewExpired();
  if (run.rulesKey === null) {
    throw new Conflict('preview_of_drafts', 'This preview shows drafts. Save them first, and preview again.');
  }
  if (run.rulesKey !== (await readRulesKey(guildId))) {
    throw previewExpired('The mappings or settings have changed since this preview. Make a new one.');
  }
  const { looked, differing, asOf = clock.now() } = run;
  return { previewId, members: looked.checked, unknown: looked.unknown, asOf, differing: [...differing] };
}

const cursorPlace = z.strictObject({ previewId: z.string(), requestKey: z.string(), after: z.string().regex(/^\d+$/) });

function readCursor(cursor: string | undefined, requestKey: string): z.output<typeof cursorPlace> | undefined {
  try {
    const place = decodeCursor(cursorPlace, cursor);
    if (place === undefined || place.requestKey === requestKey) return place;
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
  }
  const message = 'is not a cursor of this preview: send it with the same memberIds, mappings and settings';
  throw new InvalidRequest([{ path: 'cursor', message }]);
}

async function begin(
  guild: Guild,
  { memberIds, mappings, settings }: PreviewWish,
  place: { requestKey: string; after: string },
): Promise<PreviewRun> {
  if (mappings !== undefined) await requireMeaningfulDrafts(guild, mappings);
  const drafts = mappings !== undefined || settings !== undefined;
  const rulesKey = drafts ? null : await readRulesKey(guild._id);
  const rules = await readRules(guild._id, {
    ...(mappings !== undefined && { mappings: mappings.filter(({ enabled }) => enabled) }),
    ...(settings !== undefined && { settings }),
  });
  const run = new PreviewRun({ guild, rules, memberIds, rulesKey, ...place });
  keepPreview(run);
  return run;
}

async function withGameNames(guildId: string, members: readonly PlannedMember[]): Promise<PreviewedMember[]> {
  const among = { guildId, chatUserId: trusted({ $in: members.map(({ member }) => member.chatUserId) }) };
  const found = Members.acrossGuilds.find(among, { _id: 0, chatUserId: 1, gameUsername: 1 }).lean<Partial<Member>[]>();
  const names = new Map((await found).map(({ chatUserId, gameUsername }) => [chatUserId, gameUsername]));
  return members.map((planned) => ({ ...planned, gameUsername: names.get(planned.member.chatUserId) ?? null }));
}
