/** A mutated source, and the tests that must notice. */
export interface MutationTarget {
  what: string;
  /** Compiled files, from the compiled sources' folder, each with the functions that are meant where not all are. */
  sources: readonly (string | { path: string; within: readonly string[] })[];
  /** Compiled test files, from the compiled tests' folder. */
  tests: readonly string[];
  /** Whether they need the running service. */
  world?: true;
}

export const mutationTargets: readonly MutationTarget[] = [
  { what: 'signature', sources: ['features/webhooks/signature'], tests: ['features/webhooks/signature'] },
  {
    what: 'retry schedule',
    sources: ['features/webhooks/retry-schedule'],
    tests: ['features/webhooks/retry-schedule'],
  },
  {
    what: 'permissions',
    sources: ['platforms/discord/permissions', 'platforms/discord/role-hierarchy', 'core/actors/team-roles'],
    tests: ['platforms/discord/permissions', 'core/actors/team-roles'],
  },
  {
    what: 'access',
    sources: ['core/access/guild-access', 'core/actors/reach'],
    tests: ['core/access/guild-access', 'core/access/gateway-away', 'core/actors/reach'],
    world: true,
  },
  {
    what: 'plan',
    sources: ['features/sync/plan/plan'],
    tests: ['features/sync/plan', 'features/sync/plan-parts', 'features/sync/plan-held'],
  },
  {
    what: 'conditions',
    sources: ['features/mappings/condition', 'features/mappings/reported-facts'],
    tests: [
      'features/mappings/condition',
      'features/mappings/condition-traits',
      'features/mappings/every-condition',
      'features/mappings/fact-condition',
      'features/mappings/hidden-roles',
    ],
  },
  {
    what: 'nickname',
    sources: ['features/sync/plan/nickname', 'core/settings/nickname-template'],
    tests: ['features/sync/nickname'],
  },
  {
    what: 'token rules',
    sources: ['features/tokens/token-standing', 'features/tokens/bot-tokens'],
    tests: ['features/tokens/bot-tokens', 'features/tokens/token-routes'],
    world: true,
  },
  {
    what: 'target guard',
    sources: ['features/webhooks/target-guard', 'features/webhooks/target-address'],
    tests: ['features/webhooks/target-guard'],
  },
  {
    what: 'brake',
    sources: [{ path: 'features/sync/plan/guild-rules', within: ['isMassRemoval'] }],
    tests: ['features/sync/mass-removal'],
  },
  {
    what: 'brake of a resync',
    sources: [{ path: 'features/sync/resync/resync-check', within: ['checkPlan', 'holdBack'] }],
    tests: [
      'features/sync/removal-limit',
      'features/sync/removals-waiting',
      'features/sync/gains-by-absence',
      'features/sync/preview-links',
    ],
    world: true,
  },
];
