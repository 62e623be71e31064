import { z } from 'zod';
import { gameId } from '../lib/ids.js';

/** The rights of the key in each are checked at the start and once an hour. */
const mostGroups = 50;

/** `1234567, 7654321`: the ids of the Roblox groups in which ranks may be changed (ROBLOX-26). */
export const rankingGroups = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((part) => part !== ''))
  .pipe(z.array(gameId).max(mostGroups, `must name at most ${mostGroups} groups`))
  .refine((ids) => new Set(ids).size === ids.length, {
    error: 'must not name a group twice',
    when: ({ issues }) => issues.length === 0,
  });
