import type { PipelineStage } from 'mongoose';
import { config } from '../../config/config.js';
import type { HealthFinding } from '../../core/guilds/health-issue.js';
import { clock } from '../../lib/clock.js';
import { hashSecret } from '../../lib/ids.js';
import { logger } from '../../lib/logger.js';
import { dayMs, minuteMs } from '../../lib/time.js';
import { serviceState } from '../../platforms/database/service-state.js';
import { pokeAt, standing } from '../../platforms/jobs/standing.js';
import { type KeyFault, readKeyFault } from '../../platforms/roblox/api-key.js';
import type { RankingFault } from '../../platforms/roblox/key-rights.js';
import { hasOpenCloud } from '../../platforms/roblox/open-cloud.js';
import { robloxStats } from '../../platforms/roblox/roblox-host.js';
import { asksLowerRoles, type TraitCondition, traitConditionsOf } from '../mappings/condition.js';
import type { Mapping } from '../mappings/mapping-service.js';
import { type RankingObstacle, readRankingObstacles } from './ranking-rights.js';

/** The result of a key's last check, by the key's hash, shared by all processes. */
export interface KeyCheck {
  _id: string;
  fault: KeyFault | null;
  checkedAt: Date;
  /** The obstacles to ranking, by group. */
  ranking?: RankingObstacle[];
}

const idOf = (apiKey: string): string => `game_key ${hashSecret(apiKey)}`;

const againAfterMs = 10 * minuteMs;

/** Checked again after ten minutes if there is a problem or Roblox does not answer. */
const checkKey = standing({
  name: 'check-game-key',
  everyMs: dayMs,
  atStart: true,
  async run() {
    let isFine = false;
    try {
      isFine = (await checkGameKey()) === null;
    } finally {
      if (!isFine) pokeAt(checkKey, new Date(clock.epochMs() + againAfterMs));
    }
  },
});

/**
 * Checks the host's Roblox key, at boot and once a day. Logs any fault, and stores it for health and `/readyz`
 * (ROBLOX-7). Returns the first fault. Throws GamePlatformUnavailable, and then keeps the previous result.
 */
export async function checkGameKey(): Promise<KeyFault | RankingFault | null> {
  const { apiKey } = config().roblox;
  if (apiKey === undefined) return null;
  const fault = await readKeyFault();
  if (fault !== null) logger.warn({ fault }, words[fault]);
  const ranking = fault === null || fault === 'expiring' ? await readRankingObstacles() : [];
  if (ranking.length > 0) logger.warn({ ranking }, 'the Roblox key can not change ranks in some of RANKING_GROUPS');
  const $set = { fault, ranking, checkedAt: clock.now() };
  await serviceState<KeyCheck>().updateOne({ _id: idOf(apiKey) }, { $set }, { upsert: true });
  return fault ?? ranking[0]?.fault ?? null;
}

const words: Readonly<Record<KeyFault, string>> = {
  wrong: "Roblox does not know the API key of this bot's host.",
  disabled: "The Roblox API key of this bot's host is disabled.",
  expired: "The Roblox API key of this bot's host has expired.",
  expiring: "The Roblox API key of this bot's host expires within 7 days.",
  scope_missing: "The Roblox API key of this bot's host lacks the permission group:read.",
};

const closed: HealthFinding = {
  code: 'roblox_closed',
  detail: 'Roblox no longer answers this bot without an API key. Tell whoever runs the bot: it has to be set.',
};

/** Faults in the host's access to Roblox. They reveal no secret, and no guild admin can fix them. */
export async function gameAccessIssues(): Promise<HealthFinding[]> {
  const { apiKey } = config().roblox;
  return accessIssuesOf(apiKey === undefined ? null : await serviceState<KeyCheck>().findOne({ _id: idOf(apiKey) }));
}

/** The stage that adds to other rows the key's last check; none without a key. */
export function withKeyCheck(): PipelineStage.UnionWith[] {
  const { apiKey } = config().roblox;
  if (apiKey === undefined) return [];
  return [{ $unionWith: { coll: serviceState().collectionName, pipeline: [{ $match: { _id: idOf(apiKey) } }] } }];
}

/** The same faults by the key's last check; null: there was none. */
export function accessIssuesOf(check: KeyCheck | null): HealthFinding[] {
  if (config().roblox.apiKey === undefined) return robloxStats().closed.length > 0 ? [closed] : [];
  // Roblox may have begun to refuse the key since the check.
  const fault = check?.fault ?? (robloxStats().closed.includes('apis') ? 'wrong' : null);
  if (fault === null) return [];
  return [{ code: `roblox_key_${fault}`, detail: `${words[fault]} Tell whoever runs the bot.` }];
}

/** Mappings that need a key: without one they give or take no roles, or not a member's lower ones. */
export function keyIssues(mappings: readonly Mapping[]): HealthFinding[] {
  return hasOpenCloud() ? [] : [...withoutTraits(mappings), ...withoutLowerRoles(mappings)];
}

/** Mappings by ranks: a role below the only visible one is neither given nor taken (RANK-27). */
function withoutLowerRoles(mappings: readonly Mapping[]): HealthFinding[] {
  const partly = mappings.filter(({ condition }) => asksLowerRoles(condition));
  if (partly.length === 0) return [];
  const detail =
    'Only the highest role of a member is visible without ROBLOX_API_KEY, so mappings of lower roles neither give nor take their roles. Tell whoever runs the bot.';
  return [{ code: 'roblox_highest_only', detail, mappingIds: partly.map(({ _id }) => _id), count: partly.length }];
}

function withoutTraits(mappings: readonly Mapping[]): HealthFinding[] {
  const waiting = mappings.filter(({ condition }) => traitConditionsOf([condition]).some(({ type }) => needsKey[type]));
  if (waiting.length === 0) return [];
  const names = waiting.map(({ _id, name }) => name ?? _id).join(', ');
  const detail = `Roblox shows Premium and items only to a bot with an API key, and this one has none: ${names} can't give or take roles by them. Tell whoever runs the bot to set ROBLOX_API_KEY.`;
  return [{ code: 'roblox_key_needed', detail, mappingIds: waiting.map(({ _id }) => _id), count: waiting.length }];
}

/** Whether Roblox shows such a fact about an account only to a bot with a key. */
const needsKey: Readonly<Record<TraitCondition['type'], boolean>> = {
  premium: true,
  account_age: false,
  owns_item: true,
};
