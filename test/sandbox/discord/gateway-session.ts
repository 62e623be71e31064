import { randomBytes } from 'node:crypto';
import { GatewayIntentBits } from 'discord-api-types/v10';
import type { WebSocket } from 'ws';
import type { GatewayEvent } from './discord-state.js';
import { shardOf } from './snowflakes.js';

export interface Identity {
  readonly intents: number;
  readonly shardId: number;
  readonly shardCount: number;
  /** Guilds with more members than this are `large`. */
  readonly largeThreshold: number;
}

/**
 * Which intent an event needs; an event that is not here goes to every bot. In direct messages the second one counts.
 */
const intentsOf: Readonly<Record<string, readonly [inGuild: number, inDirectMessage?: number]>> = {
  GUILD_CREATE: [GatewayIntentBits.Guilds],
  GUILD_UPDATE: [GatewayIntentBits.Guilds],
  GUILD_DELETE: [GatewayIntentBits.Guilds],
  GUILD_ROLE_CREATE: [GatewayIntentBits.Guilds],
  GUILD_ROLE_UPDATE: [GatewayIntentBits.Guilds],
  GUILD_ROLE_DELETE: [GatewayIntentBits.Guilds],
  GUILD_MEMBER_ADD: [GatewayIntentBits.GuildMembers],
  GUILD_MEMBER_UPDATE: [GatewayIntentBits.GuildMembers],
  GUILD_MEMBER_REMOVE: [GatewayIntentBits.GuildMembers],
  MESSAGE_CREATE: [GatewayIntentBits.GuildMessages, GatewayIntentBits.DirectMessages],
  MESSAGE_UPDATE: [GatewayIntentBits.GuildMessages, GatewayIntentBits.DirectMessages],
  MESSAGE_DELETE: [GatewayIntentBits.GuildMessages, GatewayIntentBits.DirectMessages],
};

/**
 * One shard's session. It outlives its connection: events are still numbered and kept, and are sent again when the bot
 * resumes, until a heartbeat or a resume acknowledges them.
 */
export class GatewaySession {
  readonly id = randomBytes(16).toString('hex');
  #sequence = 0;
  #kept: { sequence: number; payload: string }[] = [];
  #socket: WebSocket | undefined;

  constructor(
    readonly identity: Identity,
    readonly botUserId: string,
    socket: WebSocket,
  ) {
    this.#socket = socket;
  }

  get connected(): boolean {
    return this.#socket !== undefined;
  }

  get socket(): WebSocket | undefined {
    return this.#socket;
  }

  /** Whether the session's shard and intents let this event through. */
  wants({ event, guildId, userId }: GatewayEvent): boolean {
    const shard = guildId === undefined ? 0 : shardOf(guildId, this.identity.shardCount);
    if (shard !== this.identity.shardId) return false;
    if (event === 'GUILD_MEMBER_UPDATE' && userId === this.botUserId) return true;
    const [inGuild = 0, inDirectMessage = inGuild] = intentsOf[event] ?? [];
    const needed = guildId === undefined ? inDirectMessage : inGuild;
    return (this.identity.intents & needed) === needed;
  }

  /** Sends an event, now or when the bot resumes. */
  send(event: string, data: unknown): void {
    this.#sequence += 1;
    const payload = JSON.stringify({ op: 0, t: event, s: this.#sequence, d: data });
    this.#kept.push({ sequence: this.#sequence, payload });
    this.#socket?.send(payload);
  }

  /** The bot has everything up to `sequence`; nothing up to there is needed for a resume any more. */
  acknowledge(sequence: number): void {
    this.#kept = this.#kept.filter((event) => event.sequence > sequence);
  }

  /** Whether `sequence` is one that this session has sent. */
  hasSent(sequence: number): boolean {
    return sequence >= 0 && sequence <= this.#sequence;
  }

  /** Continues over a new connection: events after `sequence` are sent again, then RESUMED. */
  resume(socket: WebSocket, sequence: number): void {
    this.#socket?.terminate();
    this.acknowledge(sequence);
    this.#socket = socket;
    for (const event of this.#kept) socket.send(event.payload);
    this.send('RESUMED', {});
  }

  /** Forgets the connection if it is still `socket`. */
  detach(socket: WebSocket): void {
    if (this.#socket === socket) this.#socket = undefined;
  }
}
