import type { IncomingMessage, Server } from 'node:http';
import { ApplicationFlags, GatewayCloseCodes, GatewayIntentBits, GatewayOpcodes } from 'discord-api-types/v10';
import { type WebSocket, WebSocketServer } from 'ws';
import { clock } from '../../../src/lib/clock.js';
import type { DiscordState, GatewayEvent } from './discord-state.js';
import { GatewayConnection } from './gateway-connection.js';
import { GatewaySession, type Identity } from './gateway-session.js';
import { shardOf } from './snowflakes.js';
import { createdGuildJson, userJson } from './wire.js';

/** One shard of each rate limit key may identify in this time, in ms. */
const identifyEveryMs = 5_000;
export const identifiesPerDay = 1000;

/** The gateway: takes WebSocket connections, keeps sessions and hands each event to the sessions that want it. */
export class GatewayServer {
  readonly #sessions = new Map<string, GatewaySession>();
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #readyWaiters = new Set<() => void>();
  #closedUntil = 0;
  readonly #identifiedAt = new Map<number, number>();
  identifies = 0;
  /** IDENTIFYs that were answered by opcode 9, since another shard with the same rate limit key had just identified. */
  refusedIdentifies = 0;
  /** How many shards may identify in 5 s; if undefined, `GET /gateway/bot` returns 16 and all may. */
  maxConcurrency: number | undefined;
  /** Ends each new connection with this code before HELLO. */
  closesWith: number | undefined;
  /** Changes an event's data for bots; the true data by default. */
  reshape: (event: string, data: unknown) => unknown = (_event, data) => data;
  url = '';

  constructor(
    readonly state: DiscordState,
    /** The interval that HELLO asks for; a bot that is silent for one and a half intervals is cut off. */
    readonly heartbeatIntervalMs = 41_250,
  ) {
    state.dispatch = (event) => this.dispatch(event);
    this.#sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
      new GatewayConnection(this, socket, new URL(request.url ?? '/', this.url).searchParams);
    });
  }

  /** Takes the server's WebSocket connections, which listens at `url` (`http://host:port`). */
  attach(server: Server, url: string): void {
    this.url = `${url.replace('http', 'ws')}/gateway/`;
    server.on('upgrade', (request, socket, head) => {
      if (clock.monotonicMs() < this.#closedUntil || !request.url?.startsWith('/gateway')) {
        socket.destroy();
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (opened) => {
        this.#sockets.emit('connection', opened, request);
      });
    });
  }

  /** The privileged intents that are switched on for the application, as bits. */
  privilegedIntents(): number {
    const { flags } = this.state.application;
    return flags & ApplicationFlags.GatewayGuildMembersLimited ? GatewayIntentBits.GuildMembers : 0;
  }

  dispatch(event: GatewayEvent): void {
    for (const session of this.#sessions.values()) {
      if (session.wants(event)) session.send(event.event, this.reshape(event.event, event.data));
    }
  }

  /** Whether the shard may identify now, as the first of its rate limit key (`shardId % max_concurrency`) in 5 s. */
  admits(shardId: number): boolean {
    if (this.maxConcurrency === undefined) return true;
    const [key, now] = [shardId % this.maxConcurrency, clock.monotonicMs()];
    if (now - (this.#identifiedAt.get(key) ?? -identifyEveryMs) < identifyEveryMs) {
      this.refusedIdentifies += 1;
      return false;
    }
    this.#identifiedAt.set(key, now);
    return true;
  }

  /** Starts a session: READY with the shard's guilds, then GUILD_CREATE for each. */
  identify(socket: WebSocket, identity: Identity): GatewaySession {
    const session = new GatewaySession(identity, this.state.bot.id, socket);
    this.#sessions.set(session.id, session);
    this.identifies += 1;
    const guilds = this.state
      .botGuilds()
      .filter((guild) => shardOf(guild.id, identity.shardCount) === identity.shardId);
    const { id, flags } = this.state.application;
    session.send('READY', {
      v: 10,
      user: { ...userJson(this.state.bot), mfa_enabled: true, verified: true, email: null },
      guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: this.url,
      shard: [identity.shardId, identity.shardCount],
      application: { id, flags, flags_new: String(flags) },
    });
    for (const guild of guilds) {
      const event = { event: 'GUILD_CREATE', guildId: guild.id };
      const data = createdGuildJson(this.state, guild, identity.largeThreshold);
      if (session.wants({ ...event, data })) session.send(event.event, this.reshape(event.event, data));
    }
    this.#tellReady();
    return session;
  }

  /** Continues a session, or gives undefined when it is gone. */
  resume(socket: WebSocket, sessionId: string, sequence: number): GatewaySession | undefined {
    const session = this.#sessions.get(sessionId);
    if (!session?.hasSent(sequence)) return undefined;
    session.resume(socket, sequence);
    this.#tellReady();
    return session;
  }

  /** The connection is gone. Closing with 1000 or 1001 ends the session; else it waits to be resumed. */
  disconnected(session: GatewaySession, socket: WebSocket, closeCode: number): void {
    session.detach(socket);
    if (closeCode === 1000 || closeCode === 1001) this.#sessions.delete(session.id);
  }

  /** Resolves once some bot's every shard is connected. */
  async ready(): Promise<void> {
    while (!this.#allShardsConnected()) {
      await new Promise<void>((resolve) => this.#readyWaiters.add(resolve));
    }
  }

  /** Cuts every connection without a goodbye, and takes no new one for `downMs`. */
  drop(downMs = 0): void {
    this.#closedUntil = clock.monotonicMs() + downMs;
    for (const socket of this.#sockets.clients) socket.terminate();
  }

  /** Asks every bot to connect again and resume (opcode 7). */
  askReconnect(): void {
    for (const session of this.#sessions.values()) {
      session.socket?.send(JSON.stringify({ op: GatewayOpcodes.Reconnect, d: null }));
    }
  }

  /** Ends every session; the bots must identify again (opcode 9). */
  invalidateSessions(): void {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const session of sessions) {
      session.socket?.send(JSON.stringify({ op: GatewayOpcodes.InvalidSession, d: false }));
    }
  }

  stop(): void {
    for (const socket of this.#sockets.clients) {
      socket.close(GatewayCloseCodes.UnknownError);
      socket.terminate();
    }
    this.#sessions.clear();
    this.#sockets.close();
  }

  #allShardsConnected(): boolean {
    const connected = [...this.#sessions.values()].filter((session) => session.connected);
    return connected.some(({ identity: { shardCount } }) => {
      const peers = connected.filter((peer) => peer.identity.shardCount === shardCount);
      return new Set(peers.map((peer) => peer.identity.shardId)).size === shardCount;
    });
  }

  #tellReady(): void {
    for (const waiter of this.#readyWaiters) waiter();
    this.#readyWaiters.clear();
  }
}
