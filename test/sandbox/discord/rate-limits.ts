/** `limit` calls in each window of `seconds`; a window begins with its first call. */
export interface RateLimit {
  readonly limit: number;
  readonly seconds: number;
}

/** Discord's own number (Discord's documentation): a bot's calls together, but for those that answer interactions. */
export const globalLimit: RateLimit = { limit: 50, seconds: 1 };

/** For endpoints that are not named below. */
export const usualLimit: RateLimit = { limit: 5, seconds: 1 };

/**
 * The sandbox's numbers per endpoint and top-level id (guild, channel, or webhook with token). Discord publishes none
 * and says that clients must read them from the headers; these are as large as bots see them.
 */
export const rateLimits: Readonly<Record<string, RateLimit>> = {
  'PATCH /guilds/:guildId/members/:userId': { limit: 10, seconds: 10 },
  'PATCH /guilds/:guildId/members/@me': { limit: 2, seconds: 10 },
  'PUT /guilds/:guildId/members/:userId/roles/:roleId': { limit: 10, seconds: 10 },
  'DELETE /guilds/:guildId/members/:userId/roles/:roleId': { limit: 10, seconds: 10 },
  'GET /guilds/:guildId/members/:userId': { limit: 5, seconds: 1 },
  'GET /guilds/:guildId/members': { limit: 10, seconds: 10 },
  'GET /guilds/:guildId/members/search': { limit: 10, seconds: 10 },
  'GET /gateway/bot': { limit: 2, seconds: 5 },
  'GET /users/@me/guilds': { limit: 10, seconds: 10 },
  'POST /users/@me/channels': { limit: 10, seconds: 10 },
  'GET /users/:userId': { limit: 30, seconds: 30 },
  'POST /channels/:channelId/messages': { limit: 5, seconds: 5 },
  'PATCH /channels/:channelId/messages/:messageId': { limit: 5, seconds: 5 },
  'DELETE /channels/:channelId/messages/:messageId': { limit: 5, seconds: 1 },
  'POST /webhooks/:applicationId/:token': { limit: 5, seconds: 2 },
  'POST /oauth2/token': { limit: 50, seconds: 10 },
};
