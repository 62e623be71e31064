/** Descriptions for fields that mean the same wherever they stand. A field's own description counts first. */
const usual: Readonly<Record<string, string>> = {
  guildId: "The server's id on Discord.",
  channelId: "The channel's id on Discord.",
  roleId: "The role's id on Discord.",
  roleIds: 'Ids of roles on Discord.',
  memberId: "The member's id on Discord.",
  memberIds: 'Ids of members on Discord.',
  chatUserId: "The person's id on Discord.",
  chatUsername: "The person's username on Discord.",
  ownerId: "The owner's id on Discord.",
  iconUrl: "The server's icon on Discord; null without one.",
  avatarUrl: "The person's picture on Discord; null without one.",
  groupId: "The group's id on Roblox.",
  groupName: "The group's name on Roblox.",
  gameRoleId: 'The id of a role in a Roblox group.',
  gameUserId: "The account's id on Roblox.",
  gameUsername: "The account's username on Roblox.",
  gameDisplayName: "The account's display name on Roblox.",
  rank: 'The rank of a role in a Roblox group, 0 to 255.',
  mappingId: "The mapping's id, `map_…`.",
  mappingIds: 'Ids of mappings, `map_…`.',
  webhookId: "The endpoint's id, `whk_…`.",
  deliveryId: "The delivery's id, `dlv_…`.",
  eventId: "The event's id, `evt_…`: the same on each attempt.",
  jobId: "The resync's id, `job_…`.",
  tokenId: "The token's id, `tok_…`.",
  importId: "The import's id, `pim_…`.",
  nextCursor: 'The cursor of the next page; null on the last one.',
  createdAt: 'The time at which it was made.',
  updatedAt: 'The time of its last change.',
  startedAt: 'The time at which it began.',
  finishedAt: 'The time at which it ended; null until then.',
  expiresAt: 'The time at which it ends by itself.',
  linkedAt: 'The time at which the account was linked.',
  invitedAt: 'The time of the invitation.',
  invitedBy: "The inviter's id on Discord.",
  lastUsedAt: 'The time of its last use; null without one.',
  memberCount: 'The number of members.',
  linkedMembers: 'The number of members with a linked account.',
  plan: "The server's plan.",
  botPermissions: "The bot's permissions in the server, by Discord's names.",
  methods: 'The allowed ways to prove an account.',
  method: 'The way in which the account is proven.',
  role: "The role in the server's team.",
  event: 'The type of the event.',
  events: 'The types of events that the endpoint gets.',
  test: 'Whether a person sent it as a test.',
  description: "The team's note about the endpoint.",
  enabled: 'Whether it is switched on.',
  dryRun: 'Whether nothing was written.',
  at: 'The time at which it happened.',
  since: 'The time since which it holds.',
  postedAt: 'The time at which it was posted.',
  addedAt: 'The time at which it was added.',
  refreshedAt: 'The time of the last reading from Roblox.',
  completedAt: 'The time of its end, by success or the last attempt; null until then.',
  trigger: 'The cause of the sync.',
  added: 'Ids of the roles that were given.',
  removed: 'Ids of the roles that were taken.',
  rolesHeld: 'Ids of the roles that the member has now; null outside the server.',
  rolesExpected: 'Ids of the roles that the rules give; null outside the server.',
  lastSync: 'The latest sync; null before the first.',
  actor: 'The person, token or program that did it.',
  startedBy: 'The person, token or program that started it.',
  nicknameBlocked: 'Why the nickname stays as it is; null if nothing prevents a change.',
  checked: 'The number of members that were compared with the rules.',
  changed: 'The number of members that change.',
  adding: 'The number of members that gain roles.',
  removing: 'The number of members that lose roles.',
  renamed: 'The number of members with another nickname.',
  gaining: 'The number of members that gain roles.',
  losing: 'The number of members that lose roles.',
  wouldStopAtBrake: 'Whether a resync would wait for an admin, by the limit on removals.',
  succeeded: 'The number of those that succeeded.',
  failed: 'The number of those that failed.',
  sharePercent: 'The share of members that may lose roles within an hour, in percent.',
  requestId: 'The id of the request, for the operator and the log.',
  removeWhenUnmatched: 'Whether people lose the roles when they no longer meet the condition.',
};

type Fields = Record<string, Record<string, unknown>>;

/** The document with the usual descriptions for fields that have none. Pure. */
export function withUsualDescriptions<T>(document: T): T {
  return described(document) as T;
}

function described(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(described);
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part).map(([key, value]): [string, unknown] => {
    // Examples are data.
    if (key === 'example' || key === 'examples') return [key, value];
    const isFields = key === 'properties' && typeof value === 'object' && value !== null;
    return [key, described(isFields ? fieldsOf(value as Fields) : value)];
  });
  return Object.fromEntries(entries);
}

function fieldsOf(fields: Fields): Fields {
  const named = Object.entries(fields).map(([name, field]) => {
    const description = field.description ?? usual[name];
    return [name, description === undefined || '$ref' in field ? field : { ...field, description }];
  });
  return Object.fromEntries(named);
}
