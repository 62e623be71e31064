import {
  ApplicationCommandRegistries,
  type ILogger,
  LogLevel,
  RegisterBehavior,
  SapphireClient,
} from '@sapphire/framework';
import { type CacheWithLimitsOptions, Client, GatewayIntentBits, Options, Partials } from 'discord.js';
import { processesOf, type ServiceConfig } from './config/config.js';
import { RouteStore } from './edges/http/route-store.js';
import { logger } from './lib/logger.js';
import { readCommandAnswers } from './platforms/discord/command-answers.js';
import { guardedStrategy, guardPackets } from './platforms/discord/gateway-guard.js';
import { isRejected } from './platforms/discord/member-writes.js';
import { loadStrictly } from './strict-loader.js';

/** Discord's global limit per bot, shared by all its processes. */
const botRequestsPerSecond = 50;

const isBotItself = ({ id, client }: { id: string; client: Client<true> }): boolean => id === client.user.id;

/**
 * Cache limits for discord.js. Guilds, their channels, roles and the bot's own commands stay; /help lists the commands.
 * Everything else is bounded or not cached: otherwise each member event would keep a user in memory forever.
 */
const cacheLimits: CacheWithLimitsOptions = {
  ApplicationEmojiManager: 0,
  AutoModerationRuleManager: 0,
  BaseGuildEmojiManager: 0,
  DMMessageManager: 0,
  EntitlementManager: 0,
  GuildBanManager: 0,
  GuildEmojiManager: 0,
  GuildForumThreadManager: 0,
  GuildInviteManager: 0,
  GuildMemberManager: { maxSize: 200, keepOverLimit: isBotItself },
  GuildMessageManager: 0,
  GuildScheduledEventManager: 0,
  GuildStickerManager: 0,
  GuildTextThreadManager: 0,
  MessageManager: 0,
  PresenceManager: 0,
  ReactionManager: 0,
  ReactionUserManager: 0,
  StageInstanceManager: 0,
  ThreadManager: 0,
  ThreadMemberManager: 0,
  UserManager: { maxSize: 1_000, keepOverLimit: isBotItself },
  VoiceStateManager: 0,
};

/**
 * The bot: one gateway connection for each of this process's shards, and the stores for commands, listeners and routes.
 */
export class RolelinkClient extends SapphireClient {
  constructor({ discord, shards }: ServiceConfig) {
    ApplicationCommandRegistries.setDefaultBehaviorWhenNotIdentical(RegisterBehavior.BulkOverwrite);
    super({
      baseUserDirectory: new URL('..', import.meta.url),
      intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMembers],
      // Without this partial, uncached members' updates would never arrive.
      partials: [Partials.GuildMember],
      makeCache: Options.cacheWithLimits(cacheLimits),
      rest: {
        api: discord.apiUrl,
        version: '10',
        timeout: 10_000,
        retries: 2,
        rejectOnRateLimit: isRejected,
        globalRequestsPerSecond: Math.floor(botRequestsPerSecond / processesOf(shards)),
      },
      allowedMentions: { parse: [] },
      logger: { instance: sapphireLogger },
      loadDefaultErrorListeners: false,
      ws: { buildStrategy: guardedStrategy },
      ...(shards !== undefined && {
        shards: Array.from({ length: shards.last - shards.first + 1 }, (_, index) => shards.first + index),
        shardCount: shards.total,
      }),
    });
    guardPackets(this);
    readCommandAnswers(this.rest);
    this.stores.register(new RouteStore());
    for (const store of this.stores.values()) loadStrictly(store);
  }

  /** Loads every piece in `commands/`, `listeners/` and `routes/`. Throws on the first failure. */
  async loadPieces(): Promise<void> {
    if (this.options.baseUserDirectory) this.stores.registerPath(this.options.baseUserDirectory);
    await Promise.all([...this.stores.values()].map((store) => store.loadAll()));
  }

  /** Connects to Discord. The pieces are already loaded, so the API answers before the gateway does. */
  override async login(token?: string): Promise<string> {
    try {
      return await Client.prototype.login.call(this, token);
    } catch (error) {
      // After a failed login, discord.js keeps treating the client as destroyed even once connected. It would never be
      // ready and never close its sockets.
      Object.assign(this.ws, { destroyed: false });
      throw error;
    }
  }
}

/**
 * Forwards Sapphire's log lines to our logger. Its info lines describe command registration, so they are logged as
 * debug.
 */
const sapphireLogger: ILogger = {
  has: (level) => logger.isLevelEnabled(pinoLevel(level)),
  trace: (...values) => logger.trace(values.join(' ')),
  debug: (...values) => logger.debug(values.join(' ')),
  info: (...values) => logger.debug(values.join(' ')),
  warn: (...values) => logger.warn(values.join(' ')),
  error: (...values) => logger.error(values.join(' ')),
  fatal: (...values) => logger.fatal(values.join(' ')),
  write: (level, ...values) => logger[pinoLevel(level)](values.join(' ')),
};

function pinoLevel(level: LogLevel): 'trace' | 'debug' | 'warn' | 'error' | 'fatal' {
  if (level <= LogLevel.Trace) return 'trace';
  if (level <= LogLevel.Info) return 'debug';
  if (level <= LogLevel.Warn) return 'warn';
  return level <= LogLevel.Error ? 'error' : 'fatal';
}
