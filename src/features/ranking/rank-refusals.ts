import { AppError, Conflict, Forbidden, NotFound, RateLimited } from '../../lib/errors.js';
import type { RankRefusal } from '../../platforms/roblox/group-ranks.js';
import type { NoMove } from './rank-ladder.js';

const words: Readonly<Record<Exclude<RankRefusal, 'rate_limited'>, string>> = {
  key: 'Roblox refuses the API key of this bot. Tell whoever runs the bot.',
  permission: "The account of this bot's key may not change this rank on Roblox. Tell whoever runs the bot.",
  not_member: 'This person is not in the group on Roblox.',
  account_gone: 'This Roblox account is deleted or banned.',
  role_full: 'Roblox takes nobody more into this rank now. Try again in a moment.',
  role_unknown: 'Roblox has no such rank in this group any more.',
  unexplained: 'Roblox refused this change without a reason.',
  not_sent: "Roblox isn't answering reliably right now. Nothing was changed.",
};

/** The error for a refusal of Roblox (RANKING-17). */
export function refusedByRoblox(reason: RankRefusal, retryAfterSeconds = 60): AppError {
  if (reason === 'rate_limited') return new RateLimited(retryAfterSeconds, 'Roblox takes no more changes right now.');
  return new AppError('roblox_refused', words[reason], { reason });
}

export function refusalOfTarget(none: NoMove): AppError {
  if (none === 'unknown') return new NotFound('game_role_not_found', 'The group has no such rank.');
  if (none === 'no_step') return new Conflict('rank_unchanged', 'There is no further rank in that direction.');
  return new Conflict('rank_unchanged', 'This person has this rank already.');
}

export const ownRank = (): Forbidden =>
  new Forbidden('rank_of_own_account', 'Nobody changes their own rank. Ask somebody else.');

export const notInGroup = (): Conflict =>
  new Conflict('not_in_group', 'This person is not in the group on Roblox. They have to join it first.');

export const rankChanged = (): Conflict =>
  new Conflict('rank_changed', 'The rank of this person has changed since. Look at it again.');

export const rankingOff = (): Conflict =>
  new Conflict('ranking_off', 'Ranking is not turned on for this group. Ask whoever runs the bot: RANKING_GROUPS.');
