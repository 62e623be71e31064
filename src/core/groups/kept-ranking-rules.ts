import { clock } from '../../lib/clock.js';
import { Remembered } from '../../platforms/database/remembered.js';
import type { LinkedGroup } from './group-model.js';
import type { RankingRules } from './ranking-rules.js';

interface KeptRules {
  groupId: string;
  rules: RankingRules;
  detachedAt: Date;
}

/** The rules for ranking in a guild's former groups. They hold again once the group is attached (RANKING-4). */
const kept = new Remembered<KeptRules>('ranking_rules');

/** More than the groups of any plan. Beyond it, the rules of the group that was detached first are dropped. */
const mostInGuild = 500;

const keyOf = (guildId: string, groupId: string): string => `${guildId} ${groupId}`;

/** Keeps the rules of a group that is being detached; without rules of its own the usual ones hold again. */
export async function keepRankingRules({ guildId, groupId, ranking }: LinkedGroup): Promise<void> {
  if (ranking === undefined) return;
  const value = { groupId, rules: ranking, detachedAt: clock.now() };
  await kept.keep(keyOf(guildId, groupId), { guildId, value });
  const all = await kept.inGuild(guildId);
  const latestFirst = all.map((one) => one.value).sort((a, b) => b.detachedAt.getTime() - a.detachedAt.getTime());
  for (const former of latestFirst.slice(mostInGuild)) await kept.forget(keyOf(guildId, former.groupId));
}

/** The rules that a group had in a guild when it was detached there; null: it had none, or was never there. */
export async function keptRankingRules(guildId: string, groupId: string): Promise<KeptRules | null> {
  return (await kept.find(keyOf(guildId, groupId)))?.value ?? null;
}

/** Drops kept rules whose group is attached again with them. Those of a later removal stay. */
export async function forgetRankingRules(guildId: string, { groupId, detachedAt }: KeptRules): Promise<void> {
  await kept.forget(keyOf(guildId, groupId), { 'value.detachedAt': detachedAt });
}
