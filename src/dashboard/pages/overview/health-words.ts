import type { Schemas } from '../../../client/api-types.js';
import { holdersWords } from '../../guild/holders-words.js';
import { permissionList } from '../../guild/permission-words.js';
import type { Words } from '../../i18n/words.js';

type Issue = Schemas['HealthIssue'];

/** From issues that stop everything to mere advice; newer services' codes are in the middle. */
const order: readonly (Issue['code'] | 'other')[] = [
  'discord_unreachable',
  'missing_manage_roles',
  'roblox_closed',
  'roblox_key_wrong',
  'roblox_key_disabled',
  'roblox_key_expired',
  'roblox_key_needed',
  'role_above_bot',
  'missing_kick_members',
  'role_deleted',
  'role_managed',
  'everyone_role',
  'became_dangerous',
  'removal_limit',
  'group_missing',
  'missing_manage_nicknames',
  'other',
  'restriction_above_writer',
  'beyond_word',
  'members_left_out',
  'game_role_missing',
  'several_roles',
  'role_above_mapper',
  'refused_by_discord',
  'role_changed_back',
  'nickname_changed_back',
  'other_bot',
  'discord_calls_wait',
  'groups_over_plan',
  'mappings_over_plan',
  'webhooks_over_plan',
  'webhook_secret_unreadable',
  'webhook_disabled',
  'webhook_failing',
  'log_channel_unwritable',
  'roblox_key_scope_missing',
  'ranking_scope_missing',
  'ranking_outside',
  'ranking_permission_missing',
  'ranking_rank_low',
  'universe_refused',
  'universe_key_needed',
  'roblox_highest_only',
  'roblox_key_expiring',
  'ranks_stale',
  'account_gone',
];

const placeOf = ({ code }: Issue): number => order.indexOf(order.includes(code) ? code : 'other');

export const worstFirst = (issues: readonly Issue[]): Issue[] => [...issues].sort((a, b) => placeOf(a) - placeOf(b));

/** The problem and its effect in words; for an unknown code the service's own English sentence. */
export function issueWords(issue: Issue, words: Words): { sentence: string; consequence: string } {
  // A role that was deleted while the log had no name for it has only its id.
  const unnamed = issue.code === 'role_deleted' && issue.roleName === issue.roleId ? '_unnamed' : '';
  const [key, why] = [`health.${issue.code}${unnamed}`, `health_why.${issue.code}`];
  if (!words.has(key) || !words.has(why)) return { sentence: issue.detail, consequence: '' };
  const values = {
    role: issue.roleName ?? issue.roleId ?? words.t('health.a_nickname'),
    group: issue.groupName ?? issue.groupId ?? words.list(issue.groupNames ?? []),
    permissions: permissionList(issue.permissions ?? [], words),
    rank: issue.gameRoleId ?? '',
    universe: issue.universeId ?? '',
    host: issue.host ?? '',
    count: issue.count ?? 0,
    limit: issue.limit ?? 0,
    words: issue.words ?? '',
    bots: words.list(issue.botNames ?? []),
  };
  const { holders } = issue;
  const kept = holders === undefined ? [] : [holdersWords(values.role, holders, words)];
  return { sentence: words.t(key, values), consequence: [words.t(why, values), ...kept].join(' ') };
}
