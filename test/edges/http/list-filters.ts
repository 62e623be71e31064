import type { Route } from '../../../src/edges/http/route.js';
import { memberSorts } from '../../../src/features/members/member-list.js';

/** Every list's filters and sorts, each with values that it takes. */
export const listFilters: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'GET /api/guilds/:guildId/members': {
    q: ['erson1', 'player9', 'nobody', '200000000000000015', '15'],
    gameUserId: ['15'],
    status: ['linked', 'left', 'unlinked', 'joined'],
    roleId: ['100000000000000000', '100000000000000009'],
    rank: ['15:100', '15:1'],
    state: ['in_step', 'pending', 'blocked', 'differs', 'unsynced'],
    sort: memberSorts,
  },
  'GET /api/guilds/:guildId/differences': {
    roleId: ['100000000000000000', '100000000000000001'],
    reason: ['meets_rule', 'misses_rule', 'nickname'],
    effect: ['losing', 'gaining', 'renamed', 'kicked'],
  },
  'GET /api/guilds/:guildId/roles': { holders: ['true', 'false'] },
  'GET /api/guilds/:guildId/logs': {
    action: ['mapping.*', 'mapping.updated'],
    actorId: ['7'],
    targetId: ['1'],
    involves: ['1', '7'],
    from: ['2020-01-01T00:00:00Z'],
    to: ['2090-01-01T00:00:00Z'],
  },
  'GET /api/guilds/:guildId/webhooks/:webhookId/deliveries': {
    state: ['pending', 'failed', 'succeeded'],
    event: ['role.synced', 'guild.suspended'],
    since: ['2020-01-01T00:00:00Z'],
    until: ['2090-01-01T00:00:00Z'],
  },
  'GET /api/guilds': { q: ['mine', '3000', 'nothing'] },
  'GET /api/guilds/:guildId/mappings': {
    q: ['a', 'nothing'],
    roleId: ['200000000000000000'],
    groupId: ['15'],
    status: ['ok', 'role_missing'],
    enabled: ['true', 'false'],
  },
  'GET /api/admin/guilds': {
    q: ['Guild 1', '3000', 'nothing'],
    plan: ['free', 'enterprise'],
    state: ['active', 'suspended'],
    present: ['true', 'false'],
  },
};

/** A list's filters and sort by name; none for a route that is no list. */
export function filterNames({ options: { input } }: Route): string[] {
  const names = Object.keys(input?.query?.shape ?? {});
  return names.includes('cursor') ? names.filter((name) => name !== 'limit' && name !== 'cursor') : [];
}
