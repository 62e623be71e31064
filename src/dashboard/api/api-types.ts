// Made by `npm run generate` of the service's OpenAPI document. test/dashboard/generated.test.ts compares.

type Answer<T> = { headers: Record<string, string>; content: T };
type Refused = Answer<{ 'application/problem+json': Schemas['Problem'] }>;

export interface Schemas {
  GuildConfig: { groups: (string)[]; mappings: ({ name?: string | null; condition: Schemas['Condition']; roles?: (string)[]; nickname?: Schemas['MappingNickname'] | null; removeWhenUnmatched?: boolean; enabled?: boolean })[]; settings: Schemas['WishedSettings'] };
  Condition: Schemas['VerifiedCondition'] | Schemas['UnverifiedCondition'] | Schemas['GroupMemberCondition'] | Schemas['GroupRankCondition'] | Schemas['GroupRoleCondition'] | Schemas['GroupRolesCondition'] | Schemas['PremiumCondition'] | Schemas['AccountAgeCondition'] | Schemas['OwnsItemCondition'] | Schemas['AllCondition'] | Schemas['AnyCondition'] | Schemas['NotCondition'];
  VerifiedCondition: { type: 'verified' };
  UnverifiedCondition: { type: 'unverified' };
  GroupMemberCondition: { type: 'group_member'; groupId: string };
  GroupRankCondition: { type: 'group_rank'; groupId: string; min: number; max: number };
  GroupRoleCondition: { type: 'group_role'; groupId: string; gameRoleId: string };
  GroupRolesCondition: { type: 'group_roles'; groupId: string; match: 'name' };
  PremiumCondition: { type: 'premium' };
  AccountAgeCondition: { type: 'account_age'; days: number };
  OwnsItemCondition: { type: 'owns_item'; kind: 'badge' | 'game_pass' | 'asset'; id: string };
  AllCondition: { type: 'all'; of: (Schemas['Condition'])[] };
  AnyCondition: { type: 'any'; of: (Schemas['Condition'])[] };
  NotCondition: { type: 'not'; of: Schemas['Condition'] };
  MappingNickname: { template: string; order?: number };
  WishedSettings: { mode?: 'enforce' | 'observe'; verification: { enabled: boolean; methods: ('oauth' | 'profile_code')[]; minimumAccountAgeDays: number }; nickname: { enabled: boolean; template: string }; bypass: { keepRoles: (string)[]; keepNickname: (string)[] }; joinMessage: { to: 'none' | 'channel' | 'dm'; channelId: string | null; text: string | null }; restrictions: { action: 'refuse_roles' | 'kick'; minimumAccountAgeDays: number; requiredGroupIds: (string)[]; deniedGroupIds: (string)[]; deniedGameUserIds: (string)[]; reason: string | null }; autoLinkOnJoin: boolean; waitForRules?: boolean; reveal: 'auto' | 'ask'; unlink: { removeRoles: boolean; resetNickname: boolean }; resync: { automatic: boolean; everyHours: number | null }; massRemoval: { sharePercent: number; people: number }; logChannelId: string | null; trustDiscordAdmins: boolean; locale: 'en' | 'de' | 'es' | 'pt-BR' | 'fr' | 'pl' | 'tr' };
  MappingDraft: { name?: string | null; condition: Schemas['Condition']; roleIds?: (string)[]; nickname?: Schemas['MappingNickname'] | null; removeWhenUnmatched?: boolean; enabled?: boolean };
  MemberLookup: { memberIds: (string)[] } | { gameUserIds: (string)[] };
  MembersToLinkAgain: { memberIds: (string)[] };
  MembersToUnlink: { members: ({ memberId: string; gameUserId?: string })[] };
  SetupChange: { group?: { groupId: string } | { url: string } | null; rankRoles?: ({ gameRoleId: string; roleId: string })[]; verifiedRoleId?: string | null; nickname?: { enabled: boolean; template: string }; methods?: ('oauth' | 'profile_code')[]; channelId?: string | null; panel?: { title?: string; text?: string; color?: number; button?: string } };
  PreviewRequest: { memberIds?: (string)[]; mappings?: (Schemas['MappingDraft'])[]; change?: { mappingId?: string; mapping: Schemas['MappingDraft'] }; settings?: Schemas['WishedSettings']; cursor?: string };
  WebhookDraft: { url: string; events: ('verification.completed' | 'verification.failed' | 'member.unlinked' | 'role.synced' | 'role.sync_failed' | 'guild.suspended')[]; description?: string | null; enabled?: boolean };
  WebhookChange: { url?: string; events?: ('verification.completed' | 'verification.failed' | 'member.unlinked' | 'role.synced' | 'role.sync_failed' | 'guild.suspended')[]; description?: string | null; enabled?: boolean };
  WebhookTestWish: { event?: 'verification.completed' | 'verification.failed' | 'member.unlinked' | 'role.synced' | 'role.sync_failed' | 'guild.suspended' };
  BlockedRole: { roleId: string; reason: 'role_deleted' | 'everyone_role' | 'role_managed' | 'missing_permission' | 'role_above_bot' | 'became_dangerous' | 'removal_limit' | 'beyond_word' | 'refused_by_discord'; roleName?: string; detail?: string };
  SetupReport: { lookedAt: string; checks: ({ name: string; findings: ({ state: 'ok' | 'off' | 'warning' | 'fault' | 'unknown'; code: 'ok' | 'off' | 'unknown' | 'port_unusable' | 'variable_mistyped' | 'variable_overridden' | 'not_checked' | 'keys_missing' | 'keys_wrong' | 'keys_unreadable' | 'discord_token_ok' | 'discord_client_id_wrong' | 'discord_token_refused' | 'discord_intent_off' | 'discord_sign_in_off' | 'discord_secret_wrong' | 'discord_redirect_missing' | 'discord_sign_in_ok' | 'discord_permissions_no_server' | 'discord_permissions_ok' | 'discord_permissions_missing' | 'discord_review_none' | 'discord_review_far' | 'discord_review_near' | 'linked_roles_off' | 'linked_roles_ok' | 'linked_roles_not_registered' | 'linked_roles_url_wrong' | 'roblox_key_unset' | 'roblox_key_ok' | 'roblox_key_reads_logs' | 'roblox_key_wrong' | 'roblox_key_disabled' | 'roblox_key_expired' | 'roblox_key_expiring' | 'roblox_key_scope_missing' | 'roblox_oauth_off' | 'roblox_oauth_ok' | 'roblox_oauth_wrong' | 'stripe_off' | 'stripe_price_unknown' | 'stripe_webhook_missing' | 'stripe_ok' | 'stripe_key_wrong' | 'database_ok' | 'database_unreachable' | 'shards_missing' | 'disk_ok' | 'disk_low' | 'clock_unknown' | 'clock_ok' | 'clock_off' | 'public_url_insecure' | 'trust_proxy_missing' | 'public_url_unchecked' | 'public_url_unreachable' | 'public_url_ok'; params: Record<string, string | number>; says: string; todo: string | null })[] })[] };
  AdminGuild: { guildId: string; name: string; iconUrl: string | null; ownerId: string; memberCount: number; plan: 'free' | 'pro' | 'enterprise'; state: 'active' | 'suspended'; suspension: { reason: string; at: string; by: string } | null; present: boolean; joinedAt: string; linkedMembers: number; suspendedBy: string | null };
  PlatformMetrics: { guilds: { total: number; present: number; suspended: number; byPlan: { free: number; pro: number; enterprise: number } }; accounts: { linked: number; unsettled: number }; members: { linked: number }; verifications: { completed24h: number; completed7d: number; failed24h: number; failed7d: number }; resyncs: { queued: number; running: number; waiting: number; awaitingConfirmation: number; completed24h: number; failed24h: number; cancelled24h: number }; syncs: { owed: number; due: number; oldestDueAt: string | null }; deliveries: { pending: number; retrying: number; oldestDueSeconds: number; attempts: Record<string, number> }; erasures: { open: number }; jobs: Record<string, { running: number; completed: number; failed: number }>; process: { version: string; nodeVersion: string; startedAt: string; uptimeSeconds: number; memory: { rssBytes: number; heapUsedBytes: number } } };
  CurrentPerson: { kind: 'user'; chatUserId: string; username: string; avatarUrl: string | null; platformAdmin: boolean; account: Schemas['Account'] | null; invitations: ({ guildId: string; guildName: string; role: 'viewer' | 'manager' | 'admin'; invitedBy: string; invitedAt: string })[] };
  Account: { chatUserId: string; gameUserId: string; gameUsername: string; gameDisplayName: string; method: 'imported' | 'oauth' | 'discord_connection' | 'profile_code' | 'game_code'; importedFrom: 'list' | 'bloxlink' | 'rover' | 'rowifi' | null; linkedAt: string };
  CurrentToken: { kind: 'bot_token'; tokenId: string; guildId: string; role: 'viewer' | 'manager' | 'admin' | 'owner' };
  GuildConsent: { guildId: string; name: string; iconUrl: string | null; state: 'shown' | 'agreed' | 'hidden' | 'unanswered' };
  PersonExport: { exportedAt: string; chatUserId: string; account: { chatUserId: string; gameUserId: string; gameUsername: string; gameDisplayName: string; method: 'imported' | 'oauth' | 'discord_connection' | 'profile_code' | 'game_code'; importedFrom: 'list' | 'bloxlink' | 'rover' | 'rowifi' | null; linkedAt: string; gameCreatedAt: string | null; onlyIn: (string)[] | null; missingSince: string | null; goneSince: string | null; namesReadAt: string | null; premium: boolean | null; premiumReadAt: string | null; items: ({ item: string; owned: boolean | null; readAt: string })[] } | null; linkedRoles: { connectedAt: string | null; writtenAt: string | null; gameUsername: string | null; facts: ({ key: string; value: string })[] } | null; memberships: ({ guildId: string; chatUsername: string; pending: true | null; present: boolean; presenceAt: string | null; autoLinkBlocked: boolean; adminUnlink: { at: string; gameUserId: string; consent: 'given' | null } | null; consent: 'given' | 'refused' | null; consentAskedAt: string | null; gameUserId: string | null; gameUsername: string | null; gameDisplayName: string | null; linkedAt: string | null; chosenGameUserId: string | null; word: { method: 'imported' | 'game_code'; importedFrom: string | null; voucher: { chatUserId: string | null; ceilingRoleId: string | null }; keepsNickname: true | null } | null; goneSince: string | null; linkDueAt: string | null; givenNickname: string | null; formerNickname: string | null; askedNickname: string | null; namelessAs: string | null; owedSync: { id: string; trigger: 'verification' | 'link' | 'unlink' | 'join' | 'command' | 'api' | 'resync' | 'account' | 'rank_change'; since: string | null; dueAt: string; attempts: number; counted: true | null } | null; traitsDueAt: string | null; joinUntold: true | null; joinMessage: { id: string; since: string; dueAt: string; asksConsent: true | null } | null; kickToldAt: string | null; blockedBy: (string)[] | null; refused: ({ part: 'give' | 'take' | 'nickname'; roleId: string | null; name: string | null; words: string; key: string; at: string })[] | null; left: { roleIds: (string)[]; nickname: string | null } | null; restored: ({ what: string; at: string })[] | null; contested: (string)[] | null; applying: { added: (string)[]; removed: (string)[]; nickname: string | null; formerNickname: string | null } | null; chatAvatarUrl: string | null; status: 'linked' | 'account_gone' | 'left' | 'unlinked' | 'joined'; syncs: (Schemas['SyncRecord'])[]; wentBy: { gameUserId: string | null; gone: true | null; readAt: string; ranks: ({ groupId: string; gameRoleId: string | null })[] } | null; difference: { give: (string)[]; take: (string)[]; nickname: string | null; kick: 'denied_user' | 'denied_group' | 'required_group' | 'account_age' | null; reasons: ({ roleId: string | null; code: 'meets_rule' | 'misses_rule' | 'not_verified' | 'account_gone' | 'restricted' | 'nickname'; groupId: string | null; gameRole: string | null })[]; about: (string)[]; since: string } | null })[]; verifications: ({ guildId: string | null; chatUsername: string; tokenGuildId: string | null; method: 'oauth' | 'discord_connection' | 'profile_code' | 'game_code'; state: 'pending' | 'awaiting_confirmation' | 'awaiting_transfer' | 'completed' | 'failed'; reason: 'code_not_found' | 'game_account_not_found' | 'account_too_new' | 'oauth_denied' | 'oauth_invalid' | 'game_platform_unavailable' | 'rejected_by_person' | 'objected_by_owner' | 'superseded' | 'connection_missing' | 'connection_differs' | 'stronger_proof' | 'expired' | 'too_many_attempts' | null; connected: ({ gameUserId: string; name: string })[] | null | null; gameUsername: string | null; choosing: true | null; use: 'here' | 'main' | 'replace' | null; voucher: { chatUserId: string | null; ceilingRoleId: string | null } | null; attempts: number; createdAt: string; expiresAt: string; gameUserId: string | null })[]; claimQuestions: ({ sentAt: (string)[]; quietUntil: string | null; overAt: string; open: { channelId: string; messageId: string; until: string } | null; guildId: string | null })[]; teams: ({ guildId: string; username: string; role: 'viewer' | 'manager' | 'admin'; state: 'invited' | 'active'; invitedBy: string; invitedAt: string })[]; ownedGuilds: ({ guildId: string; name: string })[]; sessions: ({ username: string; avatarUrl: string | null; managedGuildIds: (string)[]; managedGuilds: ({ guildId: string; name: string; iconUrl: string | null })[] | null; device: { browser: 'chrome' | 'edge' | 'firefox' | 'opera' | 'safari' | 'samsung' | null; system: 'android' | 'chromeos' | 'ios' | 'linux' | 'macos' | 'windows' | null } | null; startedAt: string; lastUsedAt: string | null; expiresAt: string })[]; tokens: ({ tokenId: string; guildId: string; role: 'viewer' | 'manager' | 'admin' | 'owner' | 'verifier'; name: string; createdAt: string; expiresAt: string; lastUsedAt: string | null; revokedAt: string | null })[]; resyncs: ({ jobId: string; guildId: string; state: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'; createdAt: string })[]; peopleImports: ({ source: 'list' | 'bloxlink' | 'rover' | 'rowifi'; state: 'running' | 'completed' | 'failed' | 'cancelled'; total: number; createdAt: string; importId: string; guildId: string })[]; importedPairs: ({ importId: string; gameUserId: string; problem: 'contradicting' | 'refused' | 'not_in_server' | 'not_found' | null; guildId: string })[]; refusedImports: ({ guildId: string; gameUserId: string; refusedAt: string })[]; ranksSeen: ({ gameUserId: string; ranks: ({ groupId: string; gameRoleId: string | null })[]; seenAt: string | null })[]; auditEntries: ({ guildId: string | null; entry: Schemas['AuditEntry'] })[] };
  SyncRecord: { at: string; trigger: 'verification' | 'link' | 'unlink' | 'join' | 'command' | 'api' | 'resync' | 'account' | 'rank_change'; added: (string)[]; removed: (string)[]; nickname?: string | null; blocked: (Schemas['BlockedRole'])[]; nicknameRefused?: Schemas['RefusedNickname']; error?: 'invalid_request' | 'sign_in_failed' | 'signature_invalid' | 'unauthenticated' | 'plan_limit_reached' | 'forbidden' | 'guild_suspended' | 'origin_mismatch' | 'verification_disabled' | 'delivery_not_found' | 'game_code_not_valid' | 'gone_from_discord' | 'group_not_found' | 'guild_not_found' | 'import_not_found' | 'mapping_not_found' | 'member_not_found' | 'not_found' | 'not_linked' | 'nothing_to_answer' | 'resync_not_found' | 'role_not_found' | 'session_not_found' | 'teammate_not_found' | 'token_not_found' | 'webhook_not_found' | 'account_restricted' | 'account_transferred' | 'accounts_full' | 'already_completed' | 'already_suspended' | 'awaiting_confirmation' | 'awaiting_transfer' | 'busy' | 'channel_unknown' | 'count_changed' | 'delivery_held' | 'delivery_in_progress' | 'discord_owner' | 'game_account_held' | 'group_exists' | 'group_in_use' | 'import_not_undoable' | 'import_running' | 'import_source_off' | 'lease_lost' | 'method_unavailable' | 'missing_permission' | 'not_observing' | 'not_suspended' | 'not_switched' | 'nothing_to_confirm' | 'outcome_unknown' | 'person_erased' | 'plan_in_force' | 'preview_applied' | 'preview_of_drafts' | 'preview_unfinished' | 'proof_in_progress' | 'request_in_progress' | 'resync_finished' | 'resync_running' | 'retry_needed' | 'role_from_discord' | 'role_unmanageable' | 'subscription_exists' | 'subscription_missing' | 'teammate_exists' | 'too_many_tokens' | 'webhook_disabled' | 'webhook_paused' | 'webhook_removed' | 'preview_expired' | 'session_expired' | 'version_mismatch' | 'game_group_not_found' | 'idempotency_key_reused' | 'oauth_invalid' | 'verification_failed' | 'rate_limited' | 'billing_not_configured' | 'billing_provider_unavailable' | 'chat_platform_unavailable' | 'database_unavailable' | 'game_platform_closed' | 'game_platform_unavailable' | 'oauth_not_configured' | 'sign_in_not_configured' | 'internal_error' };
  RefusedNickname: { nickname: string | null; detail: string };
  AuditEntry: { id: string; at: string; actor: { kind: 'user' | 'bot_token' | 'provider' | 'system' | 'anonymous'; id: string; name: string; pseudonym?: string }; action: 'account.disowned' | 'account.erased' | 'account.exported' | 'account.linked' | 'account.main_set' | 'account.unlinked' | 'billing.checkout_started' | 'billing.plan_changed' | 'billing.portal_opened' | 'billing.subscription_changed' | 'consent.given' | 'consent.refused' | 'delivery.redelivered' | 'group.added' | 'group.removed' | 'guild.joined' | 'guild.left' | 'guild.observed' | 'guild.suspended' | 'guild.unsuspended' | 'linked_role.connected' | 'linked_role.disconnected' | 'mapping.created' | 'mapping.removed' | 'mapping.updated' | 'mappings.imported' | 'member.account_back' | 'member.account_gone' | 'member.linked' | 'member.kicked' | 'member.refused' | 'member.synced' | 'member.unlinked' | 'panel.posted' | 'people.import_ended' | 'people.import_started' | 'people.import_undone' | 'permission.granted' | 'permission.lost' | 'resync.cancelled' | 'resync.completed' | 'resync.confirmed' | 'resync.failed' | 'resync.held' | 'resync.started' | 'role.blocked' | 'role.deleted' | 'role.unblocked' | 'session.ended' | 'session.started' | 'settings.confirmed' | 'settings.updated' | 'teammate.activated' | 'teammate.changed' | 'teammate.invited' | 'teammate.removed' | 'token.created' | 'token.revoked' | 'verification.claimed' | 'verification.completed' | 'verification.failed' | 'verification.transfer_held' | 'webhook.changed' | 'webhook.created' | 'webhook.disabled' | 'webhook.enabled' | 'webhook.removed' | 'webhook.secret_rotated' | 'webhook.tested'; target: { kind: string; id: string; name: string | null }; requestId: string | null; changes: Record<string, { from: unknown; to: unknown }> };
  LinkedRoles: { available: boolean; connectedAt: string | null; writtenAt: string | null; gameUsername: string | null; facts: ({ key: string; value: string })[] };
  ServerWithoutBot: { guildId: string; name: string; iconUrl: string | null; inviteUrl: string | null };
  Session: { sessionId: string; device: { browser: 'chrome' | 'edge' | 'firefox' | 'opera' | 'safari' | 'samsung' | null; system: 'android' | 'chromeos' | 'ios' | 'linux' | 'macos' | 'windows' | null } | null; startedAt: string; lastUsedAt: string; expiresAt: string; current: boolean };
  GuildSummary: { guildId: string; name: string; iconUrl: string | null; plan: 'free' | 'pro' | 'enterprise'; state: 'active' | 'suspended'; role: 'viewer' | 'manager' | 'admin' | 'owner'; linkedMembers: number };
  Guild: { guildId: string; name: string; iconUrl: string | null; plan: 'free' | 'pro' | 'enterprise'; state: 'active' | 'suspended'; role: 'viewer' | 'manager' | 'admin' | 'owner'; linkedMembers: number; ownerId: string; memberCount: number; mode: 'enforce' | 'observe'; botPermissions: (string)[]; health: (Schemas['HealthIssue'])[] };
  HealthIssue: { code: 'account_gone' | 'restriction_above_writer' | 'discord_unreachable' | 'discord_calls_wait' | 'missing_manage_roles' | 'missing_manage_nicknames' | 'missing_kick_members' | 'role_deleted' | 'everyone_role' | 'role_managed' | 'role_above_bot' | 'became_dangerous' | 'removal_limit' | 'beyond_word' | 'refused_by_discord' | 'several_roles' | 'role_above_mapper' | 'role_changed_back' | 'nickname_changed_back' | 'other_bot' | 'log_channel_unwritable' | 'group_missing' | 'game_role_missing' | 'groups_over_plan' | 'mappings_over_plan' | 'ranks_stale' | 'rules_unfinished' | 'roblox_closed' | 'roblox_key_needed' | 'roblox_highest_only' | 'roblox_key_wrong' | 'roblox_key_disabled' | 'roblox_key_expired' | 'roblox_key_expiring' | 'roblox_key_scope_missing' | 'webhook_disabled' | 'webhook_failing' | 'webhook_secret_unreadable' | 'webhooks_over_plan'; detail: string; permission?: string; severity: 'error' | 'warning'; mappingIds?: (string)[]; roleId?: string; roleName?: string; holders?: number | null; botRoleName?: string; permissions?: (string)[]; channelId?: string; groupId?: string; groupName?: string; gameRoleId?: string; groupNames?: (string)[]; plan?: 'free' | 'pro' | 'enterprise'; limit?: number; count?: number; memberIds?: (string)[]; resyncId?: string; words?: string; botNames?: (string)[]; webhookId?: string; host?: string; reason?: 'channel_missing' | 'channel_not_text' | 'channel_forbidden' | 'gone' | 'failing' };
  Billing: { plan: 'free' | 'pro' | 'enterprise'; status: 'incomplete' | 'incomplete_expired' | 'trialing' | 'active' | 'past_due' | 'canceled' | 'unpaid' | 'paused' | null; provider: 'stripe' | null; limits: Schemas['PlanLimits']; usage: { groups: number; mappings: number; webhookEndpoints: number }; currentPeriodEnd: string | null; cancelAtPeriodEnd: boolean };
  PlanLimits: { groups: number; mappings: number; webhookEndpoints: number; logDays: number; resyncEveryHours: number | null; rankAgeMinutes: number };
  Channel: { channelId: string; name: string; kind: 'text' | 'announcement' | 'voice' | 'stage' | 'forum' | 'media' | 'category' | 'other'; category: string | null; writable: boolean; reason: 'channel_missing' | 'channel_not_text' | 'channel_forbidden' | null };
  ConfigResult: { dryRun: boolean; changes: ({ change: '+' | '~' | '-'; kind: 'group' | 'mapping' | 'setting'; what: string })[]; people: { checked: number; changed: number; isWhole: boolean } | null; config: Schemas['CurrentConfig'] };
  Settings: { mode: 'enforce' | 'observe'; verification: { enabled: boolean; methods: ('oauth' | 'profile_code')[]; minimumAccountAgeDays: number }; nickname: { enabled: boolean; template: string }; bypass: { keepRoles: (string)[]; keepNickname: (string)[] }; joinMessage: { to: 'none' | 'channel' | 'dm'; channelId: string | null; text: string | null }; restrictions: { action: 'refuse_roles' | 'kick'; minimumAccountAgeDays: number; requiredGroupIds: (string)[]; deniedGroupIds: (string)[]; deniedGameUserIds: (string)[]; reason: string | null }; autoLinkOnJoin: boolean; waitForRules: boolean; reveal: 'auto' | 'ask'; unlink: { removeRoles: boolean; resetNickname: boolean }; resync: { automatic: boolean; everyHours: number | null }; massRemoval: { sharePercent: number; people: number }; logChannelId: string | null; trustDiscordAdmins: boolean; locale: 'en' | 'de' | 'es' | 'pt-BR' | 'fr' | 'pl' | 'tr' };
  CurrentConfig: { groups: (string)[]; mappings: ({ name: string | null; condition: Schemas['Condition']; roles: (string)[]; nickname: Schemas['MappingNicknameOutput'] | null; removeWhenUnmatched: boolean; enabled: boolean })[]; settings: Schemas['Settings'] };
  DeliveryDetail: { deliveryId: string; webhookId: string; eventId: string; event: 'verification.completed' | 'verification.failed' | 'member.unlinked' | 'role.synced' | 'role.sync_failed' | 'guild.suspended'; state: 'pending' | 'retrying' | 'succeeded' | 'failed'; attemptCount: number; nextAttemptAt: string | null; createdAt: string; completedAt: string | null; failureReason: 'attempts_exhausted' | 'not_retried' | 'expired_while_held' | 'endpoint_removed' | null; test: boolean; attempts: (Schemas['DeliveryAttemptDetail'])[]; body: string };
  DeliveryAttemptDetail: { at: string; outcome: 'succeeded' | 'http_error' | 'redirect' | 'timeout' | 'refused' | 'reset' | 'unreachable' | 'dns' | 'tls' | 'forbidden_target' | 'invalid_answer' | 'other' | 'not_sent' | 'interrupted'; status: number | null; latencyMs: number | null; responseBody: string | null; error: string | null; attempt: number; requestHeaders: ({ name: string; value: string })[] | null };
  Delivery: { deliveryId: string; webhookId: string; eventId: string; event: 'verification.completed' | 'verification.failed' | 'member.unlinked' | 'role.synced' | 'role.sync_failed' | 'guild.suspended'; state: 'pending' | 'retrying' | 'succeeded' | 'failed'; attemptCount: number; nextAttemptAt: string | null; createdAt: string; completedAt: string | null; failureReason: 'attempts_exhausted' | 'not_retried' | 'expired_while_held' | 'endpoint_removed' | null; test: boolean; lastAttempt: { at: string; outcome: 'succeeded' | 'http_error' | 'redirect' | 'timeout' | 'refused' | 'reset' | 'unreachable' | 'dns' | 'tls' | 'forbidden_target' | 'invalid_answer' | 'other' | 'not_sent' | 'interrupted'; status: number | null; latencyMs: number | null; error: string | null; attempt: number } | null };
  Difference: { memberId: string; chatUsername: string; gameUsername: string | null; add: (string)[]; remove: (string)[]; nickname?: string | null; nicknameNow: string | null; kick?: 'denied_user' | 'denied_group' | 'required_group' | 'account_age'; reasons: ({ roleId: string | null; code: 'meets_rule' | 'misses_rule' | 'not_verified' | 'account_gone' | 'restricted' | 'nickname'; words: string })[]; since: string };
  DifferenceCounts: { matching: number; differing: number; gaining: number; losing: number; renamed: number; kicked: number; byRole: ({ roleId: string; gaining: number; losing: number })[]; byReason: ({ reason: 'meets_rule' | 'misses_rule' | 'not_verified' | 'account_gone' | 'restricted' | 'nickname'; members: number })[] };
  Resync: { jobId: string; state: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'; createdAt: string; startedAt: string | null; finishedAt: string | null; error: { code: 'billing_not_configured' | 'billing_provider_unavailable' | 'chat_platform_unavailable' | 'database_unavailable' | 'game_platform_closed' | 'game_platform_unavailable' | 'oauth_not_configured' | 'sign_in_not_configured' | 'internal_error' | 'bot_removed' | 'guild_suspended' | 'not_confirmed'; message: string } | null; scope: 'whole' | 'part'; startedBy: { kind: 'user' | 'bot_token' | 'provider' | 'system' | 'anonymous'; id: string; name: string }; phase: 'planning' | 'applying'; total: number; processed: number; changed: number; failed: number; blocked: number; awaitingConfirmation: { losing: number; share: number } | null; waitingFor: 'billing_not_configured' | 'billing_provider_unavailable' | 'chat_platform_unavailable' | 'database_unavailable' | 'game_platform_closed' | 'game_platform_unavailable' | 'oauth_not_configured' | 'sign_in_not_configured' | 'internal_error' | null; etaSeconds: number | null };
  Switch: { jobId: string; at: string; state: 'made' | 'undoing' | 'undone'; undoableUntil: string; changed: number; putBack: number; kept: (string)[]; refused: (Schemas['RefusedUndo'])[] };
  RefusedUndo: { memberId: string; chatUsername: string; roles: (Schemas['BlockedRole'])[]; nickname: 'guild_owner' | 'member_above_bot' | 'missing_permission' | 'refused_by_discord' | null };
  Group: { groupId: string; name: string; memberCount: number; roles: ({ gameRoleId: string; name: string; rank: number })[]; gone: boolean; addedAt: string; refreshedAt: string };
  GroupFound: { groupId: string; name: string; memberCount: number };
  GuildHistory: { since: string; series: ({ date: string; linked: number | null; verified: number; verificationFailed: number; unlinked: number; synced: number; syncFailed: number; rankAgeSeconds: number | null; rankTargetSeconds: number | null })[]; mappings: ({ mappingId: string; name: string | null; roleIds: (string)[]; holding: (number | null)[] })[] };
  Mapping: { mappingId: string; name: string | null; condition: Schemas['Condition']; roleIds: (string)[]; nickname: { template: string; order: number } | null; removeWhenUnmatched: boolean; enabled: boolean; people: { matching: number; holding: number; asOf: string } | null; createdAt: string; updatedAt: string; status: 'ok' | 'role_missing' | 'role_unmanageable' | 'role_dangerous' | 'group_missing'; paused?: 'mappings_over_plan' | 'groups_over_plan'; ranks?: ({ gameRoleId: string; name: string; rank: number; roleIds: (string)[]; problem: 'no_role' | 'several_roles' | 'role_above_mapper' | 'role_deleted' | 'everyone_role' | 'role_managed' | 'missing_permission' | 'role_above_bot' | 'became_dangerous' | 'removal_limit' | 'beyond_word' | 'refused_by_discord' | null; otherMappings: (string)[] })[]; highestRoleOnly?: true; warnings: ({ roleId: string; permissions: (string)[] })[] };
  MappingImport: { dryRun: boolean; created: ({ line: number; mappingId: string | null; mapping: Schemas['MappingDraftOutput'] })[]; skipped: ({ line: number; mappingId: string | null })[]; refused: (Schemas['ImportRemark'])[]; notes: (Schemas['ImportRemark'])[]; addedGroups: (string)[]; observing: boolean; otherBots: ({ name: string })[]; limits: { mappings: { used: number; adding: number; limit: number }; fits: boolean } };
  ImportRemark: { line: number; code: 'not_understood' | 'unsupported' | 'cut_off' | 'left_out' | 'group_not_attached' | 'role_ambiguous' | 'game_role_not_found' | 'game_role_ambiguous' | 'game_group_not_found' | 'role_not_found' | 'role_unmanageable' | 'forbidden' | 'invalid_request'; message: string };
  Member: { chatUsername: string; gameUserId: string | null; gameUsername: string | null; gameDisplayName: string | null; linkedAt: string | null; memberId: string; status: 'linked' | 'account_gone' | 'left' | 'unlinked' | 'joined'; state: 'in_step' | 'pending' | 'blocked' | 'differs' | 'unsynced'; roleIds: (string)[]; lastSync: Schemas['SyncRecord'] | null };
  MemberCounts: { linked: number; account_gone: number; left: number; unlinked: number; joined: number };
  MemberDetail: { chatUsername: string; gameUserId: string | null; gameUsername: string | null; gameDisplayName: string | null; linkedAt: string | null; memberId: string; status: 'linked' | 'account_gone' | 'left' | 'unlinked' | 'joined'; state: 'in_step' | 'pending' | 'blocked' | 'differs' | 'unsynced'; roleIds: (string)[]; lastSync: Schemas['SyncRecord'] | null; nickname: string | null; importedFrom: 'list' | 'bloxlink' | 'rover' | 'rowifi' | null; undoUntil: string | null; groupRanks: ({ groupId: string; roles: ({ gameRoleId: string; name: string; rank: number })[] })[] | null; asOf: string | null; rolesHeld: (string)[] | null; rolesExpected: (string)[] | null; blocked: (Schemas['BlockedRole'])[]; removalsWait?: { resyncId: string | null }; unavailable: 'game_platform_unavailable' | 'chat_platform_unavailable' | null; syncs: (Schemas['SyncRecord'])[] };
  SyncResult: { added: (string)[]; removed: (string)[]; nickname: string | null; blocked: (Schemas['BlockedRole'])[]; nicknameBlocked: 'guild_owner' | 'member_above_bot' | 'missing_permission' | 'refused_by_discord' | null; nicknameRefused?: Schemas['RefusedNickname']; waitsForRules?: true; observed?: true };
  MemberWhy: { memberId: string; status: 'linked' | 'account_gone' | 'left' | 'unlinked' | 'joined'; gameUserId: string | null; linkedAt: string | null; importedFrom: 'list' | 'bloxlink' | 'rover' | 'rowifi' | null; doubt: 'account' | 'game_platform_unavailable' | null; asOf: string | null; ranksReadAt: string | null; keeps: { roles: boolean; nickname: boolean }; restriction: 'denied_user' | 'denied_group' | 'required_group' | 'account_age' | 'unknown' | null; restrictionSpares: boolean; account: { premium: boolean | null; ageDays: number | null; inventoryPrivate: boolean } | null; groups: ({ groupId: string; name: string | null; roles: ({ gameRoleId: string; name: string; rank: number })[] | null })[]; highestRoleOnly?: true; next: ({ groupId: string; groupName: string; rank: number; name: string | null; roleIds: (string)[] })[]; nicknameRefused?: Schemas['RefusedNickname']; waitsForRules?: true; removalsWait?: { resyncId: string | null }; mappings: ({ mappingId: string; name: string | null; condition: Schemas['Condition']; verdict: 'matched' | 'unmatched' | 'undecided'; paused: 'mappings_over_plan' | 'groups_over_plan' | null; parts: ({ path: string; met: boolean | null })[]; roles: ({ roleId: string; held: boolean; change: 'add' | 'remove' | null; blocked: 'role_deleted' | 'everyone_role' | 'role_managed' | 'missing_permission' | 'role_above_bot' | 'became_dangerous' | 'removal_limit' | 'beyond_word' | 'refused_by_discord' | null; detail?: string })[] })[] };
  Move: { steps: ({ step: 'observe' | 'people' | 'rules' | 'compare' | 'live' | 'stop'; state: 'done' | 'now' | 'later' })[]; passed: ('people' | 'compare')[]; otherBots: ({ name: string })[]; people: number | null; mappings: number; comparison: { state: 'none' | 'running' | 'done'; matching: number; differing: number } };
  GuildOverview: { members: { linked: number; unlinked: number; joinedNotLinked: number }; verification: { completed24h: number; completed7d: number; failed7d: number; successRate: number | null }; sync: { lastRun: string | null; running: boolean; jobId: string | null; changed24h: number; failed24h: number }; ranks: Schemas['RankAge']; promptness: Schemas['Promptness']; counts: { groups: number; mappings: number }; series: ({ date: string; verified: number; verificationFailed: number; unlinked: number; synced: number; syncFailed: number })[] };
  RankAge: { ageSeconds: number | null; targetSeconds: number; advice: 'add_roblox_key' | 'higher_plan' | 'roblox_limit' | null };
  Promptness: { roleChanges: { p50Seconds: number; p99Seconds: number } | null; commands: { p50Seconds: number; p99Seconds: number } | null };
  Panel: { channelId: string; messageId: string; postedAt: string };
  PersonFound: { chatUserId: string; username: string; nickname: string | null; avatarUrl: string | null };
  ProposedPeopleImport: { source: 'list' | 'bloxlink' | 'rover' | 'rowifi'; total: number; new: number; known: number; contradicting: number; refused: number; not_in_server: number; seconds: number; effects: Schemas['PeopleImportEffects']; observing: boolean; otherBots: ({ name: string })[]; reviewKey: string };
  PeopleImportEffects: { state: 'planned' | 'planning' | 'unknown'; reason: 'asked_later' | 'roblox_unavailable' | null; gain: number | null; lose: number | null; renamed: number | null; kicked: number | null; unknown: number | null; roles: ({ roleId: string; gain: number; lose: number })[]; people: (Schemas['PreviewedMember'])[] };
  PreviewedMember: { memberId: string; chatUsername: string; gameUsername: string | null; add: (string)[]; remove: (string)[]; kick?: 'denied_user' | 'denied_group' | 'required_group' | 'account_age'; sparedFrom?: 'denied_user' | 'denied_group' | 'required_group' | 'account_age'; nickname?: string | null; blocked: (Schemas['BlockedRole'])[]; nicknameBlocked: 'guild_owner' | 'member_above_bot' | 'missing_permission' | 'refused_by_discord' | null };
  PeopleImport: { importId: string; source: 'list' | 'bloxlink' | 'rover' | 'rowifi'; state: 'running' | 'completed' | 'failed' | 'cancelled'; startedBy: { kind: 'user' | 'bot_token' | 'provider' | 'system' | 'anonymous'; id: string; name: string }; total: number; counts: { done: number; imported: number; known: number; unknown: number; contradicting: number; refused: number; not_in_server: number; not_found: number }; etaSeconds: number | null; fault: 'key_refused' | 'not_understood' | 'unavailable' | 'bot_removed' | 'guild_suspended' | null; problems: ({ chatUserId: string; gameUserId: string; problem: 'contradicting' | 'refused' | 'not_in_server' | 'not_found' })[]; nicknames: 'set' | 'keep'; createdAt: string; finishedAt: string | null; undoableUntil: string | null; undo: Schemas['PeopleImportUndo'] | null };
  PeopleImportUndo: { state: 'running' | 'completed'; startedBy: { kind: 'user' | 'bot_token' | 'provider' | 'system' | 'anonymous'; id: string; name: string }; startedAt: string; finishedAt: string | null; undone: number; left: ({ chatUserId: string; gameUserId: string; reason: 'proved' | 'acted' | 'unlinked' | 'imported_again' | 'above' | 'failed' })[] };
  GuildRole: { roleId: string; name: string; position: number; color: string | null; iconUrl: string | null; managed: boolean; permissions: (string)[]; assignable: boolean; reason: 'role_deleted' | 'everyone_role' | 'role_managed' | 'missing_permission' | 'role_above_bot' | null; detail: string | null; dangerous: (string)[]; mappings: (string)[]; holders?: number | null };
  Setup: { choices: { verifiedRoleId: string | null; nickname: { enabled: boolean; template: string }; methods: ('oauth' | 'profile_code')[]; channelId: string | null; panel: { title?: string; text?: string; color?: number; button?: string } }; group: { groupId: string; name: string; memberCount: number; ranks: (Schemas['SetupRank'])[] } | null; highestRoleOnly?: true; missing: { count: number; key: string }; place: { mayManageRoles: boolean; mayManageNicknames: boolean; rolesAbove: (string)[] }; otherBots: (string)[] };
  SetupRank: { gameRoleId: string; name: string; rank: number; members: number | null; roleIds: (string)[]; holders: number | null; isChosen: boolean; problem: 'no_role' | 'several_roles' | 'role_above_mapper' | null; obstacle: 'role_deleted' | 'everyone_role' | 'role_managed' | 'missing_permission' | 'role_above_bot' | null; dangerous: (string)[] };
  SetupPreview: { key: string; mappings: ({ mapping: Schemas['MappingDraftOutput']; roleIds: (string)[] })[]; nickname: { enabled: boolean; template: string } | null; methods: ('oauth' | 'profile_code')[] | null; dangerous: ({ roleId: string; permissions: (string)[] })[]; summary: { checked: number; unknown: number; changed: number; adding: number; removing: number; kicking: number; renamed: number; blocked: number; wouldStopAtBrake: boolean }; warnings: ({ code: 'dangerous_role' | 'group_missing' | 'mappings_paused' | 'mass_removal' | 'people_unknown'; detail: string; roleId?: string; roleName?: string; permissions?: (string)[]; groupId?: string; groupName?: string; roleIds?: (string)[]; removing?: number; checked?: number; sharePercent?: number })[]; isPart: boolean };
  Preview: { previewId: string; members: (Schemas['PreviewedMember'])[]; summary: { checked: number; unknown: number; changed: number; adding: number; removing: number; kicking: number; renamed: number; blocked: number; wouldStopAtBrake: boolean }; warnings: ({ code: 'dangerous_role' | 'group_missing' | 'mappings_paused' | 'mass_removal' | 'people_unknown'; detail: string; roleId?: string; roleName?: string; permissions?: (string)[]; groupId?: string; groupName?: string; roleIds?: (string)[]; removing?: number; checked?: number; sharePercent?: number })[]; nextCursor: string | null };
  Teammate: { memberId: string; username: string | null; role: 'viewer' | 'manager' | 'admin' | 'owner'; source: 'invitation' | 'discord_permission' | 'discord_owner'; givenRole: 'viewer' | 'manager' | 'admin' | null; state: 'invited' | 'active'; invitedBy: string | null; invitedAt: string | null };
  Invitation: { memberId: string; username: string | null; role: 'viewer' | 'manager' | 'admin' | 'owner'; source: 'invitation' | 'discord_permission' | 'discord_owner'; givenRole: 'viewer' | 'manager' | 'admin' | null; state: 'invited' | 'active'; invitedBy: string | null; invitedAt: string | null; notified: boolean };
  NewToken: { tokenId: string; role: 'viewer' | 'manager' | 'admin' | 'owner' | 'verifier'; name: string; createdBy: string; createdAt: string; expiresAt: string; lastUsedAt: string | null; token: string };
  Token: { tokenId: string; role: 'viewer' | 'manager' | 'admin' | 'owner' | 'verifier'; name: string; createdBy: string; createdAt: string; expiresAt: string; lastUsedAt: string | null };
  HeldGameCode: { state: 'awaiting_confirmation'; expiresAt: string };
  WebhookWithSecret: { webhookId: string; url: string; events: ('verification.completed' | 'verification.failed' | 'member.unlinked' | 'role.synced' | 'role.sync_failed' | 'guild.suspended')[]; description: string | null; enabled: boolean; disabledReason: 'gone' | 'failing' | null; createdAt: string; updatedAt: string; lastSuccessAt: string | null; lastFailureAt: string | null; failingSince: string | null; paused: 'plan_limit' | 'delivery_held' | null; secrets: (Schemas['WebhookSecret'])[]; waiting: number; secret: string };
  WebhookSecret: { fingerprint: string; createdAt: string; validUntil: string | null };
  Webhook: { webhookId: string; url: string; events: ('verification.completed' | 'verification.failed' | 'member.unlinked' | 'role.synced' | 'role.sync_failed' | 'guild.suspended')[]; description: string | null; enabled: boolean; disabledReason: 'gone' | 'failing' | null; createdAt: string; updatedAt: string; lastSuccessAt: string | null; lastFailureAt: string | null; failingSince: string | null; paused: 'plan_limit' | 'delivery_held' | null; secrets: (Schemas['WebhookSecret'])[]; waiting: number };
  WebhookStatistics: { total: { succeeded: number; failed: number; open: number }; series: ({ at: string; succeeded: number; failed: number; open: number })[]; webhookId: string };
  DeliveryStatistics: { total: { succeeded: number; failed: number; open: number }; series: ({ at: string; succeeded: number; failed: number; open: number })[] };
  WebhookTest: { deliveryId: string; eventId: string; event: 'verification.completed' | 'verification.failed' | 'member.unlinked' | 'role.synced' | 'role.sync_failed' | 'guild.suspended'; delivered: boolean; attempt: Schemas['DeliveryAttempt'] };
  DeliveryAttempt: { at: string; outcome: 'succeeded' | 'http_error' | 'redirect' | 'timeout' | 'refused' | 'reset' | 'unreachable' | 'dns' | 'tls' | 'forbidden_target' | 'invalid_answer' | 'other' | 'not_sent' | 'interrupted'; status: number | null; latencyMs: number | null; responseBody: string | null; error: string | null; attempt: number };
  Installation: { version: string; commit: string; inviteUrl: string | null; signIn: boolean; robloxSignIn: boolean; robloxKey: boolean; webhookDelivery: 'live' | 'held'; billing: boolean; defaultPlan: 'free' | 'pro' | 'enterprise'; plans: ({ name: 'free' | 'pro' | 'enterprise'; limits: Schemas['PlanLimits'] })[]; languages: ('en' | 'de' | 'es' | 'pt-BR' | 'fr' | 'pl' | 'tr')[] };
  VerificationCompletion: { session: Schemas['VerificationSession']; account: Schemas['Account']; sync: Schemas['SyncResult'] | null };
  VerificationSession: { token: string; guildId: string | null; chatUserId: string; method: 'oauth' | 'discord_connection' | 'profile_code' | 'game_code'; state: 'pending' | 'awaiting_confirmation' | 'awaiting_transfer' | 'completed' | 'failed' | 'expired'; phrase: string | null; authorizeUrl: string | null; url: string; gameUsername: string | null; reason: 'code_not_found' | 'game_account_not_found' | 'account_too_new' | 'oauth_denied' | 'oauth_invalid' | 'game_platform_unavailable' | 'rejected_by_person' | 'objected_by_owner' | 'superseded' | 'connection_missing' | 'connection_differs' | 'stronger_proof' | 'expired' | 'too_many_attempts' | null; attempts: number; attemptsLeft: number; createdAt: string; expiresAt: string };
  VerificationHeld: { session: Schemas['VerificationSession']; confirmUrl: string | null };
  MappingNicknameOutput: { template: string; order: number };
  MappingDraftOutput: { name: string | null; condition: Schemas['Condition']; roleIds: (string)[]; nickname: Schemas['MappingNicknameOutput'] | null; removeWhenUnmatched: boolean; enabled: boolean };
  Problem: { type: string; title: string; status: number; detail: string; code: 'invalid_request' | 'sign_in_failed' | 'signature_invalid' | 'unauthenticated' | 'plan_limit_reached' | 'forbidden' | 'guild_suspended' | 'origin_mismatch' | 'verification_disabled' | 'delivery_not_found' | 'game_code_not_valid' | 'gone_from_discord' | 'group_not_found' | 'guild_not_found' | 'import_not_found' | 'mapping_not_found' | 'member_not_found' | 'not_found' | 'not_linked' | 'nothing_to_answer' | 'resync_not_found' | 'role_not_found' | 'session_not_found' | 'teammate_not_found' | 'token_not_found' | 'webhook_not_found' | 'account_restricted' | 'account_transferred' | 'accounts_full' | 'already_completed' | 'already_suspended' | 'awaiting_confirmation' | 'awaiting_transfer' | 'busy' | 'channel_unknown' | 'count_changed' | 'delivery_held' | 'delivery_in_progress' | 'discord_owner' | 'game_account_held' | 'group_exists' | 'group_in_use' | 'import_not_undoable' | 'import_running' | 'import_source_off' | 'lease_lost' | 'method_unavailable' | 'missing_permission' | 'not_observing' | 'not_suspended' | 'not_switched' | 'nothing_to_confirm' | 'outcome_unknown' | 'person_erased' | 'plan_in_force' | 'preview_applied' | 'preview_of_drafts' | 'preview_unfinished' | 'proof_in_progress' | 'request_in_progress' | 'resync_finished' | 'resync_running' | 'retry_needed' | 'role_from_discord' | 'role_unmanageable' | 'subscription_exists' | 'subscription_missing' | 'teammate_exists' | 'too_many_tokens' | 'webhook_disabled' | 'webhook_paused' | 'webhook_removed' | 'preview_expired' | 'session_expired' | 'version_mismatch' | 'game_group_not_found' | 'idempotency_key_reused' | 'oauth_invalid' | 'verification_failed' | 'rate_limited' | 'billing_not_configured' | 'billing_provider_unavailable' | 'chat_platform_unavailable' | 'database_unavailable' | 'game_platform_closed' | 'game_platform_unavailable' | 'oauth_not_configured' | 'sign_in_not_configured' | 'body_too_large' | 'internal_error' | 'method_not_allowed' | 'unsupported_media_type'; requestId: string; reason?: 'code_not_found' | 'game_account_not_found' | 'account_too_new' | 'oauth_denied' | 'oauth_invalid' | 'game_platform_unavailable' | 'rejected_by_person' | 'objected_by_owner' | 'superseded' | 'connection_missing' | 'connection_differs' | 'stronger_proof' | 'expired' | 'too_many_attempts'; errors?: ({ path: string; message: string })[]; blocked?: (Schemas['BlockedRole'])[] };
}

export interface Paths {
  '/api/admin/doctor': {
    get: { parameters: object; responses: { 200: Answer<{ 'application/json': Schemas['SetupReport'] }>; default: Refused } };
    post: { parameters: object; responses: { 200: Answer<{ 'application/json': Schemas['SetupReport'] }>; default: Refused } };
  };
  '/api/admin/guilds': {
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string; plan?: 'free' | 'pro' | 'enterprise'; state?: 'active' | 'suspended'; present?: 'true' | 'false' } }; responses: { 200: Answer<{ 'application/json': { data: (Schemas['AdminGuild'])[]; nextCursor: string | null } }>; default: Refused } };
  };
  '/api/admin/guilds/{guildId}/suspend': {
    post: { parameters: { path: { guildId: string } }; requestBody: { content: { 'application/json': { reason: string } } }; responses: { 200: Answer<{ 'application/json': Schemas['AdminGuild'] }>; default: Refused } };
  };
  '/api/admin/guilds/{guildId}/unsuspend': {
    post: { parameters: { path: { guildId: string } }; requestBody: { content: { 'application/json': { reason?: string | null } } }; responses: { 200: Answer<{ 'application/json': Schemas['AdminGuild'] }>; default: Refused } };
  };
  '/api/admin/metrics': {
    get: { parameters: object; responses: { 200: Answer<{ 'application/json': Schemas['PlatformMetrics'] }>; default: Refused } };
  };
  '/api/auth/login': {
    get: { parameters: { query?: { returnTo?: string } }; responses: { default: Refused } };
  };
  '/api/auth/logout': {
    post: { parameters: object; responses: { 204: Answer<{ never: never }>; default: Refused } };
  };
  '/api/auth/logout-everywhere': {
    post: { parameters: object; responses: { 204: Answer<{ never: never }>; default: Refused } };
  };
  '/api/auth/me': {
    get: { parameters: object; responses: { 200: Answer<{ 'application/json': Schemas['CurrentPerson'] | Schemas['CurrentToken'] }>; default: Refused } };
    delete: { parameters: object; responses: { 202: Answer<{ never: never }>; default: Refused } };
  };
  '/api/auth/me/consents': {
    get: { parameters: object; responses: { 200: Answer<{ 'application/json': { data: (Schemas['GuildConsent'])[] } }>; default: Refused } };
  };
  '/api/auth/me/consents/{guildId}': {
    put: { parameters: { path: { guildId: string } }; requestBody: { content: { 'application/json': { shown: boolean } } }; responses: { 200: Answer<{ 'application/json': Schemas['GuildConsent'] }>; default: Refused } };
  };
  '/api/auth/me/export': {
    get: { parameters: object; responses: { 200: Answer<{ 'application/json': Schemas['PersonExport'] }>; default: Refused } };
  };
  '/api/auth/me/linked-roles': {
    get: { parameters: object; responses: { 200: Answer<{ 'application/json': Schemas['LinkedRoles'] }>; default: Refused } };
    delete: { parameters: object; responses: { 204: Answer<{ never: never }>; default: Refused } };
  };
  '/api/auth/me/servers': {
    get: { parameters: object; responses: { 200: Answer<{ 'application/json': { data: (Schemas['ServerWithoutBot'])[]; known: boolean } }>; default: Refused } };
  };
  '/api/auth/me/sessions': {
    delete: { parameters: object; responses: { 204: Answer<{ never: never }>; default: Refused } };
    get: { parameters: object; responses: { 200: Answer<{ 'application/json': { data: (Schemas['Session'])[] } }>; default: Refused } };
  };
  '/api/auth/me/sessions/{sessionId}': {
    delete: { parameters: { path: { sessionId: string } }; responses: { 204: Answer<{ never: never }>; default: Refused } };
  };
  '/api/billing/webhook': {
    post: { parameters: { header?: { 'stripe-signature'?: string } }; responses: { 200: Answer<{ 'application/json': { received: true } }>; default: Refused } };
  };
  '/api/guilds': {
    get: { parameters: { query?: { limit?: number; cursor?: string; q?: string } }; responses: { 200: Answer<{ 'application/json': { data: (Schemas['GuildSummary'])[]; nextCursor: string | null } }>; default: Refused } };
  };
  '/api/guilds/{guildId}': {
    get: { parameters: { path: { guildId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['Guild'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/billing': {
    get: { parameters: { path: { guildId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['Billing'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/billing/checkout': {
    post: { parameters: { path: { guildId: string }; header?: { 'idempotency-key'?: string } }; requestBody: { content: { 'application/json': { plan: 'pro' | 'enterprise' } } }; responses: { 201: Answer<{ 'application/json': { url: string } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/billing/portal': {
    post: { parameters: { path: { guildId: string }; header?: { 'idempotency-key'?: string } }; responses: { 201: Answer<{ 'application/json': { url: string } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/channels': {
    get: { parameters: { path: { guildId: string } }; responses: { 200: Answer<{ 'application/json': { data: (Schemas['Channel'])[] } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/config': {
    put: { parameters: { path: { guildId: string }; query?: { dryRun?: 'true' | 'false' }; header?: { 'if-match'?: string } }; requestBody: { content: { 'application/json': Schemas['GuildConfig'] } }; responses: { 200: Answer<{ 'application/json': Schemas['ConfigResult'] }>; default: Refused } };
    get: { parameters: { path: { guildId: string }; header?: { 'if-none-match'?: string } }; responses: { 200: Answer<{ 'application/json': Schemas['CurrentConfig'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/deliveries/{deliveryId}': {
    get: { parameters: { path: { guildId: string; deliveryId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['DeliveryDetail'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/deliveries/{deliveryId}/redeliver': {
    post: { parameters: { path: { guildId: string; deliveryId: string } }; responses: { 202: Answer<{ 'application/json': Schemas['Delivery'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/differences': {
    get: { parameters: { path: { guildId: string }; query?: { limit?: number; cursor?: string; roleId?: string; reason?: 'meets_rule' | 'misses_rule' | 'not_verified' | 'account_gone' | 'restricted' | 'nickname'; effect?: 'kicked' | 'losing' | 'gaining' | 'renamed' } }; responses: { 200: Answer<{ 'application/json': { data: (Schemas['Difference'])[]; nextCursor: string | null } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/differences/counts': {
    get: { parameters: { path: { guildId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['DifferenceCounts'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/differences/export': {
    get: { parameters: { path: { guildId: string }; query?: { roleId?: string; reason?: 'meets_rule' | 'misses_rule' | 'not_verified' | 'account_gone' | 'restricted' | 'nickname'; effect?: 'kicked' | 'losing' | 'gaining' | 'renamed' } }; responses: { 200: Answer<{ 'text/csv': string }>; default: Refused } };
  };
  '/api/guilds/{guildId}/differences/go-live': {
    post: { parameters: { path: { guildId: string }; header?: { 'idempotency-key'?: string } }; requestBody: { content: { 'application/json': { previewId: string } } }; responses: { 202: Answer<{ 'application/json': Schemas['Resync'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/differences/switch': {
    get: { parameters: { path: { guildId: string } }; responses: { 200: Answer<{ 'application/json': { switch: Schemas['Switch'] | null } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/differences/undo': {
    post: { parameters: { path: { guildId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['Switch'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/groups': {
    post: { parameters: { path: { guildId: string }; header?: { 'idempotency-key'?: string } }; requestBody: { content: { 'application/json': { groupId: string } | { url: string } } }; responses: { 201: Answer<{ 'application/json': Schemas['Group'] }>; default: Refused } };
    get: { parameters: { path: { guildId: string }; query?: { limit?: number; cursor?: string } }; responses: { 200: Answer<{ 'application/json': { data: (Schemas['Group'])[]; nextCursor: string | null } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/groups/search': {
    get: { parameters: { path: { guildId: string }; query: { q: string } }; responses: { 200: Answer<{ 'application/json': { data: (Schemas['GroupFound'])[] } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/groups/{groupId}': {
    get: { parameters: { path: { guildId: string; groupId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['Group'] }>; default: Refused } };
    delete: { parameters: { path: { guildId: string; groupId: string }; query?: { cascade?: 'true' | 'false'; mappings?: string } }; responses: { 204: Answer<{ never: never }>; default: Refused } };
  };
  '/api/guilds/{guildId}/history': {
    get: { parameters: { path: { guildId: string }; query?: { days?: '7' | '30' | '90' } }; responses: { 200: Answer<{ 'application/json': Schemas['GuildHistory'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/logs': {
    get: { parameters: { path: { guildId: string }; query?: { limit?: number; cursor?: string; action?: 'account.*' | 'billing.*' | 'consent.*' | 'delivery.*' | 'group.*' | 'guild.*' | 'linked_role.*' | 'mapping.*' | 'mappings.*' | 'member.*' | 'panel.*' | 'people.*' | 'permission.*' | 'resync.*' | 'role.*' | 'session.*' | 'settings.*' | 'teammate.*' | 'token.*' | 'verification.*' | 'webhook.*' | 'account.disowned' | 'account.erased' | 'account.exported' | 'account.linked' | 'account.main_set' | 'account.unlinked' | 'billing.checkout_started' | 'billing.plan_changed' | 'billing.portal_opened' | 'billing.subscription_changed' | 'consent.given' | 'consent.refused' | 'delivery.redelivered' | 'group.added' | 'group.removed' | 'guild.joined' | 'guild.left' | 'guild.observed' | 'guild.suspended' | 'guild.unsuspended' | 'linked_role.connected' | 'linked_role.disconnected' | 'mapping.created' | 'mapping.removed' | 'mapping.updated' | 'mappings.imported' | 'member.account_back' | 'member.account_gone' | 'member.linked' | 'member.kicked' | 'member.refused' | 'member.synced' | 'member.unlinked' | 'panel.posted' | 'people.import_ended' | 'people.import_started' | 'people.import_undone' | 'permission.granted' | 'permission.lost' | 'resync.cancelled' | 'resync.completed' | 'resync.confirmed' | 'resync.failed' | 'resync.held' | 'resync.started' | 'role.blocked' | 'role.deleted' | 'role.unblocked' | 'session.ended' | 'session.started' | 'settings.confirmed' | 'settings.updated' | 'teammate.activated' | 'teammate.changed' | 'teammate.invited' | 'teammate.removed' | 'token.created' | 'token.revoked' | 'verification.claimed' | 'verification.completed' | 'verification.failed' | 'verification.transfer_held' | 'webhook.changed' | 'webhook.created' | 'webhook.disabled' | 'webhook.enabled' | 'webhook.removed' | 'webhook.secret_rotated' | 'webhook.tested'; actorId?: string; targetId?: string; from?: string; to?: string } }; responses: { 200: Answer<{ 'application/json': { data: (Schemas['AuditEntry'])[]; nextCursor: string | null } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/logs/export': {
    get: { parameters: { path: { guildId: string }; query?: { action?: 'account.*' | 'billing.*' | 'consent.*' | 'delivery.*' | 'group.*' | 'guild.*' | 'linked_role.*' | 'mapping.*' | 'mappings.*' | 'member.*' | 'panel.*' | 'people.*' | 'permission.*' | 'resync.*' | 'role.*' | 'session.*' | 'settings.*' | 'teammate.*' | 'token.*' | 'verification.*' | 'webhook.*' | 'account.disowned' | 'account.erased' | 'account.exported' | 'account.linked' | 'account.main_set' | 'account.unlinked' | 'billing.checkout_started' | 'billing.plan_changed' | 'billing.portal_opened' | 'billing.subscription_changed' | 'consent.given' | 'consent.refused' | 'delivery.redelivered' | 'group.added' | 'group.removed' | 'guild.joined' | 'guild.left' | 'guild.observed' | 'guild.suspended' | 'guild.unsuspended' | 'linked_role.connected' | 'linked_role.disconnected' | 'mapping.created' | 'mapping.removed' | 'mapping.updated' | 'mappings.imported' | 'member.account_back' | 'member.account_gone' | 'member.linked' | 'member.kicked' | 'member.refused' | 'member.synced' | 'member.unlinked' | 'panel.posted' | 'people.import_ended' | 'people.import_started' | 'people.import_undone' | 'permission.granted' | 'permission.lost' | 'resync.cancelled' | 'resync.completed' | 'resync.confirmed' | 'resync.failed' | 'resync.held' | 'resync.started' | 'role.blocked' | 'role.deleted' | 'role.unblocked' | 'session.ended' | 'session.started' | 'settings.confirmed' | 'settings.updated' | 'teammate.activated' | 'teammate.changed' | 'teammate.invited' | 'teammate.removed' | 'token.created' | 'token.revoked' | 'verification.claimed' | 'verification.completed' | 'verification.failed' | 'verification.transfer_held' | 'webhook.changed' | 'webhook.created' | 'webhook.disabled' | 'webhook.enabled' | 'webhook.removed' | 'webhook.secret_rotated' | 'webhook.tested'; actorId?: string; targetId?: string; from?: string; to?: string } }; responses: { 200: Answer<{ 'text/csv': string }>; default: Refused } };
  };
  '/api/guilds/{guildId}/mappings': {
    post: { parameters: { path: { guildId: string }; header?: { 'idempotency-key'?: string } }; requestBody: { content: { 'application/json': Schemas['MappingDraft'] } }; responses: { 201: Answer<{ 'application/json': Schemas['Mapping'] }>; default: Refused } };
    get: { parameters: { path: { guildId: string }; query?: { limit?: number; cursor?: string; q?: string; roleId?: string; groupId?: string; status?: 'ok' | 'role_missing' | 'role_unmanageable' | 'role_dangerous' | 'group_missing'; enabled?: 'true' | 'false' } }; responses: { 200: Answer<{ 'application/json': { data: (Schemas['Mapping'])[]; nextCursor: string | null } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/mappings/import': {
    post: { parameters: { path: { guildId: string }; header?: { 'idempotency-key'?: string } }; requestBody: { content: { 'application/json': { mappings: (Schemas['MappingDraft'])[]; addGroups?: boolean; dryRun?: boolean } | { format: 'csv' | 'bloxlink' | 'rover' | 'rowifi'; text: string; addGroups?: boolean; dryRun?: boolean } } }; responses: { 200: Answer<{ 'application/json': Schemas['MappingImport'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/mappings/{mappingId}': {
    get: { parameters: { path: { guildId: string; mappingId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['Mapping'] }>; default: Refused } };
    delete: { parameters: { path: { guildId: string; mappingId: string }; header?: { 'if-match'?: string } }; responses: { 204: Answer<{ never: never }>; default: Refused } };
    put: { parameters: { path: { guildId: string; mappingId: string }; header?: { 'if-match'?: string } }; requestBody: { content: { 'application/json': Schemas['MappingDraft'] } }; responses: { 200: Answer<{ 'application/json': Schemas['Mapping'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/members': {
    get: { parameters: { path: { guildId: string }; query?: { limit?: number; cursor?: string; gameUserId?: string; status?: 'linked' | 'account_gone' | 'left' | 'unlinked' | 'joined'; q?: string; roleId?: string; rank?: string; state?: 'in_step' | 'pending' | 'blocked' | 'differs' | 'unsynced'; sort?: '-linkedAt' | 'linkedAt' | 'gameUsername' | '-gameUsername' } }; responses: { 200: Answer<{ 'application/json': { data: (Schemas['Member'])[]; nextCursor: string | null } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/members/counts': {
    get: { parameters: { path: { guildId: string }; query?: { gameUserId?: string; q?: string; roleId?: string; rank?: string; state?: 'in_step' | 'pending' | 'blocked' | 'differs' | 'unsynced' } }; responses: { 200: Answer<{ 'application/json': { counts: Schemas['MemberCounts'] | null } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/members/lookup': {
    post: { parameters: { path: { guildId: string } }; requestBody: { content: { 'application/json': Schemas['MemberLookup'] } }; responses: { 200: Answer<{ 'application/json': { data: ({ id: string; member: Schemas['Member'] | null })[] } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/members/undo-unlink': {
    post: { parameters: { path: { guildId: string } }; requestBody: { content: { 'application/json': Schemas['MembersToLinkAgain'] } }; responses: { 200: Answer<{ 'application/json': { data: ({ memberId: string; linked: boolean; reason: 'not_unlinked' | 'expired' | 'acted' | 'above' | null })[] } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/members/unlink': {
    post: { parameters: { path: { guildId: string } }; requestBody: { content: { 'application/json': Schemas['MembersToUnlink'] } }; responses: { 200: Answer<{ 'application/json': { data: ({ memberId: string; unlinked: boolean; reason: 'not_linked' | 'above' | null })[] } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/members/{memberId}': {
    get: { parameters: { path: { guildId: string; memberId: string }; query?: { fresh?: 'true' | 'false' } }; responses: { 200: Answer<{ 'application/json': Schemas['MemberDetail'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/members/{memberId}/link': {
    delete: { parameters: { path: { guildId: string; memberId: string }; query?: { gameUserId?: string } }; responses: { 204: Answer<{ never: never }>; default: Refused } };
  };
  '/api/guilds/{guildId}/members/{memberId}/resync': {
    post: { parameters: { path: { guildId: string; memberId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['SyncResult'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/members/{memberId}/why': {
    get: { parameters: { path: { guildId: string; memberId: string }; query?: { fresh?: 'true' | 'false' } }; responses: { 200: Answer<{ 'application/json': Schemas['MemberWhy'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/move': {
    get: { parameters: { path: { guildId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['Move'] }>; default: Refused } };
    patch: { parameters: { path: { guildId: string } }; requestBody: { content: { 'application/json': { passed: ('people' | 'compare')[] } } }; responses: { 200: Answer<{ 'application/json': Schemas['Move'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/names': {
    get: { parameters: { path: { guildId: string }; query: { ids: string } }; responses: { 200: Answer<{ 'application/json': { names: Record<string, string> } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/overview': {
    get: { parameters: { path: { guildId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['GuildOverview'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/panel': {
    get: { parameters: { path: { guildId: string } }; responses: { 200: Answer<{ 'application/json': { panel: Schemas['Panel'] | null } }>; default: Refused } };
    post: { parameters: { path: { guildId: string }; header?: { 'idempotency-key'?: string } }; requestBody: { content: { 'application/json': { channelId: string } } }; responses: { 201: Answer<{ 'application/json': Schemas['Panel'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/people': {
    get: { parameters: { path: { guildId: string }; query: { q: string } }; responses: { 200: Answer<{ 'application/json': { data: (Schemas['PersonFound'])[] } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/people/import': {
    post: { parameters: { path: { guildId: string }; header?: { 'idempotency-key'?: string } }; requestBody: { content: { 'application/json': { people: ({ chatUserId: string; gameUserId: string })[]; nicknames?: 'set' | 'keep'; dryRun?: boolean; reviewKey?: string } | { csv: string; nicknames?: 'set' | 'keep'; dryRun?: boolean; reviewKey?: string } | { source: 'bloxlink' | 'rover' | 'rowifi'; key: string; nicknames?: 'set' | 'keep'; dryRun?: boolean; reviewKey?: string } } }; responses: { 200: Answer<{ 'application/json': Schemas['ProposedPeopleImport'] }>; 202: Answer<{ 'application/json': Schemas['PeopleImport'] }>; default: Refused } };
    delete: { parameters: { path: { guildId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['PeopleImport'] }>; default: Refused } };
    get: { parameters: { path: { guildId: string } }; responses: { 200: Answer<{ 'application/json': { import: Schemas['PeopleImport'] | null } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/people/import/{importId}/undo': {
    post: { parameters: { path: { guildId: string; importId: string } }; responses: { 202: Answer<{ 'application/json': Schemas['PeopleImport'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/pictures': {
    get: { parameters: { path: { guildId: string }; query: { ids: string } }; responses: { 200: Answer<{ 'application/json': { pictures: Record<string, string>; avatars: Record<string, string> } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/resync': {
    post: { parameters: { path: { guildId: string }; header?: { 'idempotency-key'?: string } }; requestBody: { content: { 'application/json': { memberIds?: (string)[]; previewId?: string; confirm?: string; losing?: number } } }; responses: { 202: Answer<{ 'application/json': Schemas['Resync'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/resync/{jobId}': {
    get: { parameters: { path: { guildId: string; jobId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['Resync'] }>; default: Refused } };
    delete: { parameters: { path: { guildId: string; jobId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['Resync'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/resyncs': {
    get: { parameters: { path: { guildId: string }; query?: { limit?: number; cursor?: string } }; responses: { 200: Answer<{ 'application/json': { data: (Schemas['Resync'])[]; nextCursor: string | null } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/roles': {
    get: { parameters: { path: { guildId: string }; query?: { limit?: number; cursor?: string; holders?: 'true' | 'false' } }; responses: { 200: Answer<{ 'application/json': { data: (Schemas['GuildRole'])[]; nextCursor: string | null } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/roles/{roleId}': {
    get: { parameters: { path: { guildId: string; roleId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['GuildRole'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/settings': {
    get: { parameters: { path: { guildId: string }; header?: { 'if-none-match'?: string } }; responses: { 200: Answer<{ 'application/json': Schemas['Settings'] }>; default: Refused } };
    put: { parameters: { path: { guildId: string }; header?: { 'if-match'?: string } }; requestBody: { content: { 'application/json': Schemas['WishedSettings'] } }; responses: { 200: Answer<{ 'application/json': Schemas['Settings'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/settings/restrictions/confirm': {
    post: { parameters: { path: { guildId: string }; header?: { 'if-match'?: string } }; responses: { 200: Answer<{ 'application/json': Schemas['Settings'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/setup': {
    get: { parameters: { path: { guildId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['Setup'] }>; default: Refused } };
    patch: { parameters: { path: { guildId: string } }; requestBody: { content: { 'application/json': Schemas['SetupChange'] } }; responses: { 200: Answer<{ 'application/json': Schemas['Setup'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/setup/apply': {
    post: { parameters: { path: { guildId: string }; header?: { 'idempotency-key'?: string } }; requestBody: { content: { 'application/json': { key: string; mode?: 'enforce' | 'observe' } } }; responses: { 202: Answer<{ 'application/json': { panel: 'posted' | 'none' | 'refused'; mode: 'enforce' | 'observe'; resync: Schemas['Resync'] } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/setup/preview': {
    post: { parameters: { path: { guildId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['SetupPreview'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/setup/roles': {
    post: { parameters: { path: { guildId: string }; header?: { 'idempotency-key'?: string } }; requestBody: { content: { 'application/json': { key: string } } }; responses: { 200: Answer<{ 'application/json': { made: number; left: number; setup: Schemas['Setup'] } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/sync/preview': {
    post: { parameters: { path: { guildId: string } }; requestBody: { content: { 'application/json': Schemas['PreviewRequest'] } }; responses: { 200: Answer<{ 'application/json': Schemas['Preview'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/team': {
    get: { parameters: { path: { guildId: string }; query?: { limit?: number; cursor?: string } }; responses: { 200: Answer<{ 'application/json': { data: (Schemas['Teammate'])[]; nextCursor: string | null } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/team/invite': {
    post: { parameters: { path: { guildId: string }; header?: { 'idempotency-key'?: string } }; requestBody: { content: { 'application/json': { chatUserId: string; role: 'viewer' | 'manager' | 'admin' } } }; responses: { 201: Answer<{ 'application/json': Schemas['Invitation'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/team/{memberId}': {
    delete: { parameters: { path: { guildId: string; memberId: string } }; responses: { 204: Answer<{ never: never }>; default: Refused } };
    patch: { parameters: { path: { guildId: string; memberId: string } }; requestBody: { content: { 'application/json': { role: 'viewer' | 'manager' | 'admin' } } }; responses: { 200: Answer<{ 'application/json': Schemas['Teammate'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/tokens': {
    post: { parameters: { path: { guildId: string }; header?: { 'idempotency-key'?: string } }; requestBody: { content: { 'application/json': { name: string; role: 'viewer' | 'manager' | 'admin' | 'owner' | 'verifier'; expiresInDays?: number } } }; responses: { 201: Answer<{ 'application/json': Schemas['NewToken'] }>; default: Refused } };
    get: { parameters: { path: { guildId: string }; query?: { limit?: number; cursor?: string } }; responses: { 200: Answer<{ 'application/json': { data: (Schemas['Token'])[]; nextCursor: string | null } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/tokens/{tokenId}': {
    get: { parameters: { path: { guildId: string; tokenId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['Token'] }>; default: Refused } };
    delete: { parameters: { path: { guildId: string; tokenId: string } }; responses: { 204: Answer<{ never: never }>; default: Refused } };
  };
  '/api/guilds/{guildId}/verification/game-codes/redeem': {
    post: { parameters: { path: { guildId: string } }; requestBody: { content: { 'application/json': { code: string; gameUserId: string } } }; responses: { 202: Answer<{ 'application/json': Schemas['HeldGameCode'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/webhooks': {
    post: { parameters: { path: { guildId: string }; header?: { 'idempotency-key'?: string } }; requestBody: { content: { 'application/json': Schemas['WebhookDraft'] } }; responses: { 201: Answer<{ 'application/json': Schemas['WebhookWithSecret'] }>; default: Refused } };
    get: { parameters: { path: { guildId: string }; query?: { limit?: number; cursor?: string } }; responses: { 200: Answer<{ 'application/json': { data: (Schemas['Webhook'])[]; nextCursor: string | null } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/webhooks/statistics': {
    get: { parameters: { path: { guildId: string } }; responses: { 200: Answer<{ 'application/json': { data: (Schemas['WebhookStatistics'])[] } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/webhooks/{webhookId}': {
    get: { parameters: { path: { guildId: string; webhookId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['Webhook'] }>; default: Refused } };
    delete: { parameters: { path: { guildId: string; webhookId: string }; header?: { 'if-match'?: string } }; responses: { 204: Answer<{ never: never }>; default: Refused } };
    patch: { parameters: { path: { guildId: string; webhookId: string }; header?: { 'if-match'?: string } }; requestBody: { content: { 'application/json': Schemas['WebhookChange'] } }; responses: { 200: Answer<{ 'application/json': Schemas['Webhook'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/webhooks/{webhookId}/deliveries': {
    get: { parameters: { path: { guildId: string; webhookId: string }; query?: { limit?: number; cursor?: string; state?: 'pending' | 'retrying' | 'succeeded' | 'failed'; event?: 'verification.completed' | 'verification.failed' | 'member.unlinked' | 'role.synced' | 'role.sync_failed' | 'guild.suspended'; since?: string; until?: string } }; responses: { 200: Answer<{ 'application/json': { data: (Schemas['Delivery'])[]; nextCursor: string | null } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/webhooks/{webhookId}/deliveries/count': {
    get: { parameters: { path: { guildId: string; webhookId: string }; query: { since: string; until: string; state?: 'succeeded' | 'failed'; event?: 'verification.completed' | 'verification.failed' | 'member.unlinked' | 'role.synced' | 'role.sync_failed' | 'guild.suspended' } }; responses: { 200: Answer<{ 'application/json': { count: number } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/webhooks/{webhookId}/redeliver-failed': {
    post: { parameters: { path: { guildId: string; webhookId: string } }; requestBody: { content: { 'application/json': { since: string } } }; responses: { 202: Answer<{ 'application/json': { count: number } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/webhooks/{webhookId}/replay': {
    post: { parameters: { path: { guildId: string; webhookId: string } }; requestBody: { content: { 'application/json': { since: string; until: string; state?: 'succeeded' | 'failed'; event?: 'verification.completed' | 'verification.failed' | 'member.unlinked' | 'role.synced' | 'role.sync_failed' | 'guild.suspended'; count: number } } }; responses: { 202: Answer<{ 'application/json': { count: number } }>; default: Refused } };
  };
  '/api/guilds/{guildId}/webhooks/{webhookId}/rotate-secret': {
    post: { parameters: { path: { guildId: string; webhookId: string }; query?: { immediately?: 'true' | 'false' } }; responses: { 200: Answer<{ 'application/json': Schemas['WebhookWithSecret'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/webhooks/{webhookId}/statistics': {
    get: { parameters: { path: { guildId: string; webhookId: string } }; responses: { 200: Answer<{ 'application/json': Schemas['DeliveryStatistics'] }>; default: Refused } };
  };
  '/api/guilds/{guildId}/webhooks/{webhookId}/test': {
    post: { parameters: { path: { guildId: string; webhookId: string } }; requestBody: { content: { 'application/json': Schemas['WebhookTestWish'] } }; responses: { 200: Answer<{ 'application/json': Schemas['WebhookTest'] }>; default: Refused } };
  };
  '/api/info': {
    get: { parameters: object; responses: { 200: Answer<{ 'application/json': Schemas['Installation'] }>; default: Refused } };
  };
  '/api/openapi.json': {
    get: { parameters: { header?: { 'if-none-match'?: string } }; responses: { 200: Answer<{ 'application/json': { openapi: string } }>; default: Refused } };
  };
  '/api/privacy/roblox-webhook': {
    post: { parameters: { header?: { 'roblox-signature'?: string } }; responses: { 200: Answer<{ 'application/json': { received: true } }>; default: Refused } };
  };
  '/api/verification/complete': {
    post: { parameters: object; requestBody: { content: { 'application/json': { token: string; gameUsername?: string; code?: string; state?: string } } }; responses: { 200: Answer<{ 'application/json': Schemas['VerificationCompletion'] }>; 202: Answer<{ 'application/json': Schemas['VerificationHeld'] }>; default: Refused } };
  };
  '/api/verification/retry': {
    post: { parameters: object; requestBody: { content: { 'application/json': { token: string; method?: 'oauth' | 'discord_connection' | 'profile_code' | 'game_code' } } }; responses: { 200: Answer<{ 'application/json': Schemas['VerificationSession'] }>; default: Refused } };
  };
  '/api/verification/session': {
    post: { parameters: { header?: { 'idempotency-key'?: string } }; requestBody: { content: { 'application/json': { guildId?: string; method: 'oauth' | 'discord_connection' | 'profile_code' | 'game_code'; chatUserId?: string } } }; responses: { 201: Answer<{ 'application/json': Schemas['VerificationSession'] }>; default: Refused } };
  };
  '/api/verification/session/{token}': {
    get: { parameters: { path: { token: string } }; responses: { 200: Answer<{ 'application/json': Schemas['VerificationSession'] }>; default: Refused } };
  };
  '/api/verification/unlink': {
    delete: { parameters: { query?: { chatUserId?: string; gameUserId?: string } }; responses: { 204: Answer<{ never: never }>; default: Refused } };
  };
  '/healthz': {
    get: { parameters: object; responses: { 200: Answer<{ 'application/json': { status: 'alive' } }>; default: Refused } };
  };
  '/metrics': {
    get: { parameters: { header?: { authorization?: string } }; responses: { 200: Answer<{ 'text/plain; version=0.0.4; charset=utf-8': string }>; default: Refused } };
  };
  '/readyz': {
    get: { parameters: object; responses: { 200: Answer<{ 'application/json': { database: boolean; gateway: boolean; jobs: boolean; warnings: (string)[] } }>; default: Refused } };
  };
}
