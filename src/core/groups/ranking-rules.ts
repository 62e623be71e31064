import { z } from 'zod';
import { config } from '../../config/config.js';
import { snowflake } from '../../lib/ids.js';
import { t } from '../../lib/translate.js';
import { hasOpenCloud } from '../../platforms/roblox/open-cloud.js';

/** The rules of a guild for ranking in one of its groups (RANKING-4). */
export const rankingRules = z
  .strictObject({
    teamRole: z
      .enum(['manager', 'admin', 'owner'])
      .nullable()
      .describe('People with this team role or a higher one may rank; null: none by their team role.'),
    roleIds: z
      .array(snowflake)
      .max(10)
      .refine((ids) => new Set(ids).size === ids.length, { error: () => t('input.twice') })
      .describe('People with one of these roles on Discord may rank too.'),
    highestRank: z
      .int()
      .min(1)
      .max(254)
      .nullable()
      .describe('The highest rank that they give or take; null: any below their own.'),
    perHour: z.int().min(1).max(1_000).describe('The most changes of one person in an hour.'),
  })
  .meta({ id: 'RankingRules' });
export type RankingRules = z.output<typeof rankingRules>;

export const defaultRankingRules: RankingRules = { teamRole: 'admin', roleIds: [], highestRank: null, perHour: 30 };

/** Whether the operator lets servers rank in this group (RANKING-2). */
export const isRankingOn = (groupId: string): boolean => hasOpenCloud() && config().rankingGroups.has(groupId);
