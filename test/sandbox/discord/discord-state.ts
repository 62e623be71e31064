import { randomBytes } from 'node:crypto';
import { ApplicationFlags } from 'discord-api-types/v10';
import type {
  SandboxApplication,
  SandboxConnection,
  SandboxRoleConnection,
  SandboxRoleConnectionRecord,
  SandboxUser,
  StoredChannel,
  StoredCommand,
  StoredGuild,
  StoredMember,
  StoredRole,
} from './sandbox-model.js';
import { SnowflakeSource } from './snowflakes.js';

/** An event for bots: its name, its guild (if any) and its data. */
export interface GatewayEvent {
  readonly event: string;
  readonly guildId?: string;
  /** Whom it is about; a bot hears about itself without asking for the intent. */
  readonly userId?: string;
  readonly data: unknown;
}

/** A file given with a command. */
export interface Upload {
  readonly id: string;
  readonly filename: string;
  readonly content: Buffer;
  readonly url: string;
}

/** Whether the members intent is switched on; `refused`: it is not, and only Discord's review could. */
export type MembersIntent = 'on' | 'off' | 'refused';

/** A person to be added: `globalName` is their display name. */
export interface NewUser {
  username: string;
  globalName?: string | null;
}

/** All that the stand-in knows, in memory; the finders throw plain errors for tests that name something unknown. */
export class DiscordState {
  readonly ids = new SnowflakeSource();
  readonly users = new Map<string, SandboxUser>();
  readonly guilds = new Map<string, StoredGuild>();
  readonly channels = new Map<string, StoredChannel>();
  readonly #directChannels = new Map<string, StoredChannel>();
  /** Registered commands by guild id, or `global`. */
  readonly commands = new Map<string, StoredCommand[]>();
  /** People who do not accept direct messages from the bot. */
  readonly closedToMessages = new Set<string>();
  /** Whether a nickname that equals the username is none. */
  dropsOwnNames = false;
  /** Discord's own filter: its words against a person's nickname, if any. */
  nicknameFilter: (nickname: string, user: SandboxUser) => string | undefined = () => undefined;
  /** A person's client language, where it is not the usual one. */
  readonly clientLocales = new Map<string, string>();
  /** The accounts elsewhere that people have connected, by their id. */
  readonly connections = new Map<string, SandboxConnection[]>();
  roleConnectionRecords: SandboxRoleConnectionRecord[] = [];
  /** What is written about people for Linked Roles, by their id. */
  readonly roleConnections = new Map<string, SandboxRoleConnection>();
  /** Files that people have given with a command, by id; where one is read, `url` says. */
  readonly uploads = new Map<string, Upload>();
  readonly application: SandboxApplication;
  readonly bot: SandboxUser;
  /** Who made the application. */
  readonly developer: SandboxUser;
  /** Where events go; the gateway server puts itself here. */
  dispatch: (event: GatewayEvent) => void = () => {};

  constructor(
    applicationName: string,
    readonly membersIntent: MembersIntent = 'on',
  ) {
    const id = this.ids.nextAged();
    this.bot = { id, username: applicationName, globalName: null, bot: true };
    this.users.set(id, this.bot);
    this.developer = { id: this.ids.nextAged(), username: 'sandbox.developer', globalName: null, bot: false };
    this.users.set(this.developer.id, this.developer);
    this.application = {
      id,
      name: applicationName,
      clientSecret: randomBytes(24).toString('base64url'),
      botToken: `${Buffer.from(id).toString('base64url')}.${randomBytes(4).toString('base64url')}.${randomBytes(28).toString('base64url')}`,
      botUserId: id,
      flags: membersIntent === 'on' ? ApplicationFlags.GatewayGuildMembersLimited : 0,
      redirectUris: [],
      verificationUrl: null,
    };
  }

  /** A person. Like most people, they have a display name; null: none. */
  addUser({ username, globalName = `The ${username}` }: NewUser): SandboxUser {
    const user = { id: this.ids.nextAged(), username, globalName, bot: false };
    this.users.set(user.id, user);
    return user;
  }

  user(id: string): SandboxUser {
    return found(this.users.get(id), `user ${id}`);
  }

  guild(id: string): StoredGuild {
    return found(this.guilds.get(id), `guild ${id}`);
  }

  member(guildId: string, userId: string): StoredMember {
    return found(this.guild(guildId).members.get(userId), `member ${userId} of guild ${guildId}`);
  }

  role(guildId: string, roleId: string): StoredRole {
    return found(this.guild(guildId).roles.get(roleId), `role ${roleId} of guild ${guildId}`);
  }

  channel(id: string): StoredChannel {
    return found(this.channels.get(id), `channel ${id}`);
  }

  /** Whether the bot is a member of the guild. */
  hasBot(guild: StoredGuild): boolean {
    return guild.members.has(this.bot.id);
  }

  botGuilds(): StoredGuild[] {
    return [...this.guilds.values()].filter((guild) => this.hasBot(guild));
  }

  /** The channel between the bot and a person, opened when there is none yet. */
  directChannel(userId: string): StoredChannel {
    const known = this.#directChannels.get(userId);
    if (known) return known;
    const opened: StoredChannel = { id: this.ids.next(), name: '', recipientId: userId, messages: new Map() };
    this.channels.set(opened.id, opened);
    this.#directChannels.set(userId, opened);
    return opened;
  }

  /** Whether the bot and the person are in one guild together; only then may the bot write to them. */
  sharesGuildWithBot(userId: string): boolean {
    return this.botGuilds().some((guild) => guild.members.has(userId));
  }
}

function found<T>(thing: T | undefined, name: string): T {
  if (thing === undefined) throw new Error(`The Discord sandbox has no ${name}.`);
  return thing;
}
