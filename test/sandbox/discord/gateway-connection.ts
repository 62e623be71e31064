import { GatewayCloseCodes, GatewayIntentBits, GatewayOpcodes } from 'discord-api-types/v10';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import type { GatewayServer } from './gateway-server.js';
import type { GatewaySession } from './gateway-session.js';
import { sendMemberChunks } from './member-chunks.js';

/** What a bot may send (Discord's documentation): 120 events a minute, 4096 bytes each. */
const eventsPerMinute = 120;
const largestPayload = 4096;

const privileged = GatewayIntentBits.GuildMembers | GatewayIntentBits.GuildPresences | GatewayIntentBits.MessageContent;
const knownIntents = Object.values(GatewayIntentBits)
  .filter((bit) => typeof bit === 'number')
  .reduce((all, bit) => all | bit, 0);

/** Status and voice: taken, and without consequence here. */
const ignoredOpcodes: readonly number[] = [GatewayOpcodes.PresenceUpdate, GatewayOpcodes.VoiceStateUpdate];

const payloadSchema = z.object({ op: z.int(), d: z.unknown() });

const identifySchema = z.object({
  token: z.string(),
  intents: z.int(),
  properties: z.record(z.string(), z.unknown()),
  shard: z.tuple([z.int(), z.int()]).default([0, 1]),
  large_threshold: z.int().min(50).max(250).default(50),
});

const resumeSchema = z.object({ token: z.string(), session_id: z.string(), seq: z.int() });

/** One bot WebSocket: says HELLO, then does what each payload asks, or closes with Discord's code for the fault. */
export class GatewayConnection {
  #session: GatewaySession | undefined;
  #silence: NodeJS.Timeout | undefined;
  #sent = 0;
  #minute: NodeJS.Timeout;

  constructor(
    readonly server: GatewayServer,
    readonly socket: WebSocket,
    query: URLSearchParams,
  ) {
    this.#minute = setInterval(() => {
      this.#sent = 0;
    }, 60_000).unref();
    socket.on('message', (data) => this.#receive(data));
    socket.on('close', (code) => this.#closed(code));
    if (query.get('v') !== '10' || query.get('encoding') !== 'json' || query.has('compress')) {
      socket.close(GatewayCloseCodes.InvalidAPIVersion, 'The sandbox speaks version 10, JSON, uncompressed.');
      return;
    }
    if (server.closesWith !== undefined) {
      socket.close(server.closesWith);
      return;
    }
    this.#send(GatewayOpcodes.Hello, { heartbeat_interval: server.heartbeatIntervalMs });
    this.#heard();
  }

  #receive(data: RawData): void {
    const code = this.#obey(data.toString());
    if (code !== undefined) this.socket.close(code);
  }

  /** Does what a payload asks; gives the close code if that is a fault. */
  #obey(text: string): GatewayCloseCodes | undefined {
    this.#sent += 1;
    if (Buffer.byteLength(text) > largestPayload) return GatewayCloseCodes.DecodeError;
    if (this.#sent > eventsPerMinute) return GatewayCloseCodes.RateLimited;
    const payload = payloadSchema.safeParse(parseJson(text));
    if (!payload.success) return GatewayCloseCodes.DecodeError;
    const { op, d } = payload.data;
    if (op === GatewayOpcodes.Heartbeat) return this.#heartbeat(d);
    if (op === GatewayOpcodes.Identify) return this.#identify(d);
    if (op === GatewayOpcodes.Resume) return this.#resume(d);
    if (!this.#session) return GatewayCloseCodes.NotAuthenticated;
    if (op === GatewayOpcodes.RequestGuildMembers) sendMemberChunks(this.server.state, this.#session, d);
    else if (!ignoredOpcodes.includes(op)) return GatewayCloseCodes.UnknownOpcode;
    return undefined;
  }

  #heartbeat(sequence: unknown): undefined {
    this.#heard();
    if (typeof sequence === 'number') this.#session?.acknowledge(sequence);
    this.#send(GatewayOpcodes.HeartbeatAck, undefined);
  }

  #identify(data: unknown): GatewayCloseCodes | undefined {
    if (this.#session) return GatewayCloseCodes.AlreadyAuthenticated;
    const identify = identifySchema.safeParse(data);
    if (!identify.success) return GatewayCloseCodes.DecodeError;
    const { token, intents, shard, large_threshold: largeThreshold } = identify.data;
    const [shardId, shardCount] = shard;
    if (token !== this.server.state.application.botToken) return GatewayCloseCodes.AuthenticationFailed;
    if (shardCount < 1 || shardId < 0 || shardId >= shardCount) return GatewayCloseCodes.InvalidShard;
    if (intents & ~knownIntents) return GatewayCloseCodes.InvalidIntents;
    if (intents & privileged & ~this.server.privilegedIntents()) return GatewayCloseCodes.DisallowedIntents;
    if (!this.server.admits(shardId)) {
      this.#send(GatewayOpcodes.InvalidSession, false);
      return undefined;
    }
    this.#session = this.server.identify(this.socket, { intents, shardId, shardCount, largeThreshold });
    return undefined;
  }

  #resume(data: unknown): GatewayCloseCodes | undefined {
    if (this.#session) return GatewayCloseCodes.AlreadyAuthenticated;
    const resume = resumeSchema.safeParse(data);
    if (!resume.success) return GatewayCloseCodes.DecodeError;
    const { token, session_id: sessionId, seq } = resume.data;
    if (token !== this.server.state.application.botToken) return GatewayCloseCodes.AuthenticationFailed;
    this.#session = this.server.resume(this.socket, sessionId, seq);
    if (!this.#session) this.#send(GatewayOpcodes.InvalidSession, false);
    return undefined;
  }

  /** Restarts the wait for the next heartbeat; a bot that misses it is cut off and may resume (4009). */
  #heard(): void {
    clearTimeout(this.#silence);
    const patience = this.server.heartbeatIntervalMs * 1.5;
    this.#silence = setTimeout(() => this.socket.close(GatewayCloseCodes.SessionTimedOut), patience).unref();
  }

  #send(op: GatewayOpcodes, data: unknown): void {
    this.socket.send(JSON.stringify({ op, d: data, s: null, t: null }));
  }

  #closed(code: number): void {
    clearTimeout(this.#silence);
    clearInterval(this.#minute);
    if (this.#session) this.server.disconnected(this.#session, this.socket, code);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
