import { z } from 'zod';
import { gameId } from '../../lib/ids.js';

const rank = (usual: number) => z.int().min(1).max(254).default(usual);

/** The limits of a token that ranks people in Roblox groups (RANKING-22). */
export const tokenRanking = z
  .strictObject({
    groupIds: z
      .array(gameId)
      .min(1)
      .max(10)
      .refine((ids) => new Set(ids).size === ids.length, { error: 'has an item twice' })
      .describe('The groups in which it may rank.'),
    lowestRank: rank(1).describe('The lowest rank that it gives or takes.'),
    highestRank: z.int().min(1).max(254).describe('The highest rank that it gives or takes.'),
    mayDemote: z.boolean().default(false).describe('Whether it may give a rank below the present one.'),
    perHour: z.int().min(1).max(1_000).default(60).describe('The most changes in an hour.'),
  })
  .refine(({ lowestRank, highestRank }) => lowestRank <= highestRank, {
    path: ['highestRank'],
    error: 'must not be below lowestRank',
  })
  .meta({ id: 'TokenRanking' });
export type TokenRanking = z.output<typeof tokenRanking>;
