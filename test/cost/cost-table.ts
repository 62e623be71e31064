import type { FlowName } from './cost-flows.js';
import type { Cost } from './cost-meter.js';

const cost = (database: number, discord: number, roblox: number): Cost => ({ database, discord, roblox });

/**
 * Each main flow's cost: commands to the database, calls to Discord, calls to Roblox. `before`: when every function
 * read for itself; `now` is the value that the cost test holds.
 */
export const costTable: Readonly<Record<FlowName, { before: Cost; now: Cost }>> = {
  // With the linked member count in memory; it is counted by one command a minute.
  'GET a guild': { before: cost(17, 0, 0), now: cost(6, 0, 0) },
  'PUT a mapping': { before: cost(13, 0, 0), now: cost(4, 0, 0) },
  'GET members': { before: cost(3, 0, 0), now: cost(2, 0, 0) },
  'POST a lookup of members': { before: cost(3, 0, 0), now: cost(2, 0, 0) },
  'GET mappings': { before: cost(7, 0, 0), now: cost(3, 0, 0) },
  'GET a first page of mappings': { before: cost(7, 0, 0), now: cost(3, 0, 0) },
  'GET a first page of mappings, all made in one moment': { before: cost(4, 0, 0), now: cost(3, 0, 0) },
  'GET a later page of mappings': { before: cost(4, 0, 0), now: cost(3, 0, 0) },
  'GET the statistics of webhooks': { before: cost(3, 0, 0), now: cost(3, 0, 0) },
  'GET /api/auth/me by cookie': { before: cost(4, 0, 0), now: cost(2, 0, 0) },
  // One asks whether the guild has a token that takes codes from a game.
  'press Verify': { before: cost(10, 2, 0), now: cost(9, 2, 0) },
  // One command in a link by proof ends the guild's word that gives the same account to somebody else.
  'press "I\'ve added it"': { before: cost(36, 4, 4), now: cost(29, 5, 4) },
  'POST a completion by profile code': { before: cost(37, 2, 4), now: cost(31, 3, 4) },
  'POST a sync of a member, nothing to do': { before: cost(14, 1, 2), now: cost(6, 1, 2) },
  'POST a sync of a member, one change': { before: cost(17, 2, 2), now: cost(9, 2, 2) },
  'a sync alone, nothing to do': { before: cost(11, 1, 2), now: cost(5, 1, 2) },
  'a sync alone, one change': { before: cost(14, 2, 2), now: cost(8, 2, 2) },
  // No command more, and one call for each experience.
  'a sync alone, one change that two experiences hear': { before: cost(8, 2, 4), now: cost(8, 2, 4) },
  'join of a known person': { before: cost(25, 2, 2), now: cost(20, 2, 2) },
  'one more webhook delivery': { before: cost(2, 0, 0), now: cost(2, 0, 0) },
  // One more than before the log was stored with the change: the entry names the plan before, so that is read first.
  'a Stripe event': { before: cost(10, 0, 0), now: cost(11, 0, 0) },
  'one more change of a resync': { before: cost(13, 1, 0), now: cost(10, 1, 0) },
  // Nine are its sync. Roblox takes one call for the ranks of both, one to assign the role, and one to unassign.
  'POST a promotion of a member': { before: cost(22, 2, 3), now: cost(22, 2, 3) },
  'GET the changes of ranks': { before: cost(4, 0, 0), now: cost(4, 0, 0) },
  'PUT 1,000 facts about 100 people': { before: cost(4, 0, 0), now: cost(4, 0, 0) },
};
