import { DiscordError } from './discord-error.js';
import type { DiscordState } from './discord-state.js';
import { type Call, type Endpoint, noContent, ok, param } from './endpoint.js';
import { removeBot } from './guild-changes.js';
import { channelOf, guildOf } from './rest-lookup.js';
import { channelJson, guildJson, ownGuildJson, roleJson } from './wire.js';

/** Guilds that the bot is in, with their roles and channels; and the guilds of whoever asks. */
export function guildRoutes(state: DiscordState): Endpoint[] {
  const bot = { credential: 'bot' } as const;
  return [
    { endpoint: 'GET /guilds/:guildId', ...bot, handle: (call) => getGuild(state, call) },
    {
      endpoint: 'GET /guilds/:guildId/roles',
      ...bot,
      handle: (call) => ok([...guildOf(state, call).roles.values()].map(roleJson)),
    },
    {
      endpoint: 'GET /guilds/:guildId/channels',
      ...bot,
      handle: (call) => ok([channelJson(state, state.channel(guildOf(state, call).channelId))]),
    },
    {
      endpoint: 'GET /channels/:channelId',
      ...bot,
      handle: (call) => ok(channelJson(state, channelOf(state, call))),
    },
    { endpoint: 'DELETE /users/@me/guilds/:guildId', ...bot, handle: (call) => leaveGuild(state, call) },
    {
      endpoint: 'GET /users/@me/guilds',
      credential: 'bot or bearer',
      handle: (call) => listOwnGuilds(state, call),
    },
  ];
}

/** A guild without the bot is not told from one that does not exist. */
function getGuild(state: DiscordState, call: Call) {
  const guild = state.guilds.get(param(call, 'guildId'));
  if (!guild || !state.hasBot(guild)) throw new DiscordError('unknownGuild');
  const counts = { approximate_member_count: guild.members.size, approximate_presence_count: 0 };
  return ok({ ...guildJson(guild), ...(call.query.get('with_counts') === 'true' ? counts : {}) });
}

function leaveGuild(state: DiscordState, call: Call) {
  removeBot(state, guildOf(state, call));
  return noContent;
}

function listOwnGuilds(state: DiscordState, call: Call) {
  if (call.bearer && !call.bearer.scopes.includes('guilds')) throw new DiscordError('missingScope');
  const userId = call.bearer?.userId ?? state.bot.id;
  const counted = call.query.get('with_counts') === 'true';
  const after = BigInt(call.query.get('after') ?? 0);
  const guilds = [...state.guilds.values()].filter(({ id, members }) => members.has(userId) && BigInt(id) > after);
  const page = guilds.slice(0, Number(call.query.get('limit') ?? 200));
  return ok(
    page.map((guild) => ({
      ...ownGuildJson(guild, userId),
      ...(counted ? { approximate_member_count: guild.members.size, approximate_presence_count: 0 } : {}),
    })),
  );
}
