import type { Schemas } from '../../../client/api-types.js';

type Issue = Schemas['HealthIssue'];

type Thing = 'mapping' | 'mappings' | 'group' | 'setting' | 'webhook' | 'members';

/** Where to fix an issue: the exact page, and its button's text. */
interface RemedyLink {
  label: `remedy.${Thing}` | 'nav.webhooks' | 'nav.plan' | 'nav.resync';
  to: string;
  params?: Readonly<Record<string, string>>;
  search?: Readonly<Record<string, unknown>>;
  /** The element id to focus there. */
  hash?: string;
}

/**
 * `explained`: no page can fix this, and the issue's sentence explains the steps on Discord or names the responsible person.
 */
export type Remedy = RemedyLink | 'explained';

/** More would make an address that no server takes. */
const mostShown = 50;

function toMappings({ mappingIds = [] }: Issue): RemedyLink {
  const [mappingId, another] = mappingIds;
  if (mappingId !== undefined && another === undefined) {
    return { label: 'remedy.mapping', to: '/g/$guildId/mappings/$mappingId', params: { mappingId } };
  }
  const search = mappingIds.length === 0 ? {} : { only: mappingIds.slice(0, mostShown) };
  return { label: 'remedy.mappings', to: '/g/$guildId/mappings', search };
}

/** A group that was never attached, or no longer is, has only its mappings here. */
function toGroup(issue: Issue): RemedyLink {
  const { groupId, groupName } = issue;
  if (groupId === undefined || groupName === undefined) return toMappings(issue);
  return { label: 'remedy.group', to: '/g/$guildId/groups', hash: `group-${groupId}` };
}

function toWebhook({ webhookId }: Issue): RemedyLink {
  if (webhookId === undefined) return { label: 'nav.webhooks', to: '/g/$guildId/webhooks' };
  return { label: 'remedy.webhook', to: '/g/$guildId/webhooks/$webhookId', params: { webhookId } };
}

const toPlan = (): RemedyLink => ({ label: 'nav.plan', to: '/g/$guildId/plan' });
const explained = (): Remedy => 'explained';

const remedies: Readonly<Record<Issue['code'], (issue: Issue) => Remedy>> = {
  account_gone: () => ({ label: 'remedy.members', to: '/g/$guildId/members', search: { status: 'account_gone' } }),
  role_deleted: toMappings,
  everyone_role: toMappings,
  role_managed: toMappings,
  became_dangerous: toMappings,
  beyond_word: () => ({ label: 'remedy.members', to: '/g/$guildId/members' }),
  members_left_out: () => ({ label: 'remedy.members', to: '/g/$guildId/members', search: { state: 'left_out' } }),
  role_above_mapper: toMappings,
  role_changed_back: toMappings,
  nickname_changed_back: () => ({ label: 'remedy.members', to: '/g/$guildId/members' }),
  game_role_missing: toMappings,
  group_missing: toGroup,
  log_channel_unwritable: () => ({ label: 'remedy.setting', to: '/g/$guildId/settings', hash: 'setting-logChannelId' }),
  restriction_above_writer: () => ({ label: 'remedy.setting', to: '/g/$guildId/settings', hash: 'spared-members' }),
  removal_limit: () => ({ label: 'nav.resync', to: '/g/$guildId/changes', search: { tab: 'made' } }),
  webhook_disabled: toWebhook,
  webhook_failing: toWebhook,
  webhook_secret_unreadable: toWebhook,
  groups_over_plan: toPlan,
  mappings_over_plan: toPlan,
  webhooks_over_plan: toPlan,
  discord_unreachable: explained,
  discord_calls_wait: explained,
  missing_manage_roles: explained,
  missing_manage_nicknames: explained,
  missing_kick_members: explained,
  role_above_bot: explained,
  refused_by_discord: explained,
  several_roles: explained,
  other_bot: explained,
  ranks_stale: explained,
  rules_unfinished: explained,
  roblox_closed: explained,
  roblox_key_needed: explained,
  roblox_highest_only: explained,
  roblox_key_wrong: explained,
  roblox_key_disabled: explained,
  roblox_key_expired: explained,
  roblox_key_expiring: explained,
  roblox_key_scope_missing: explained,
  ranking_scope_missing: explained,
  ranking_outside: explained,
  ranking_permission_missing: explained,
  ranking_rank_low: explained,
  universe_key_needed: explained,
  universe_refused: () => ({ label: 'remedy.setting', to: '/g/$guildId/settings', hash: 'setting-universeIds' }),
};

/** An issue's remedy; a newer service's issue is explained by the service's own sentence. */
export const remedyOf = (issue: Issue): Remedy =>
  Object.hasOwn(remedies, issue.code) ? remedies[issue.code](issue) : 'explained';
