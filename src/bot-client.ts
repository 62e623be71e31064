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
import { isMemberWrite } from './platforms/discord/member-writes.js';
import { loadStrictly } from './strict-loader.js';

/** Discord's global limit of a bot, which all of its processes share. */
const botRequestsPerSecond = 50;

const isBotItself = ({ id, client }: { id: string; client: Client<true> }): boolean => id === client.user.id;

/**
 * What discord.js may keep. Guilds, their channels and roles have to stay, and so have the bot's own commands, which
 * /help lists. Everything else is bounded or not kept, since each event of a member would otherwise leave a user behind
 * for good.
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

/** The bot: one gateway connection for each shard of this process, and the stores of commands, listeners and routes. */
export class RolelinkClient extends SapphireClient {
  constructor({ discord, shards }: ServiceConfig) {
    ApplicationCommandRegistries.setDefaultBehaviorWhenNotIdentical(RegisterBehavior.BulkOverwrite);
    super({
      baseUserDirectory: new URL('..', import.meta.url),
      intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMembers],
      // Without it, changes of members that are not in the cache would never be told.
      partials: [Partials.GuildMember],
      makeCache: Options.cacheWithLimits(cacheLimits),
      rest: {
        api: discord.apiUrl,
        version: '10',
        timeout: 10_000,
        retries: 2,
        rejectOnRateLimit: isMemberWrite,
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

  /** Loads every piece of `commands/`, `listeners/` and `routes/`. Throws on the first that cannot be loaded. */
  async loadPieces(): Promise<void> {
    if (this.options.baseUserDirectory) this.stores.registerPath(this.options.baseUserDirectory);
    await Promise.all([...this.stores.values()].map((store) => store.loadAll()));
  }

  /** Connects to Discord. The pieces are loaded already, so that the API answers before the gateway does. */
  override async login(token?: string): Promise<string> {
    try {
      return await Client.prototype.login.call(this, token);
    } catch (error) {
      // discord.js takes a client whose login failed for destroyed for good, also once it is connected: it would never
      // be ready, nor close its sockets in the end.
      Object.assign(this.ws, { destroyed: false });
      throw error;
    }
  }
}

/** Sapphire's log lines, in ours. What it tells as news is how it registers its commands, which helps to debug only. */
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
