import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type LinkSource = 'bloxlink' | 'rover' | 'rowifi';

/** What a stand-in does instead of answering: a status with headers, a body that is not understood, or a cut connection. */
export type SourceFault = { status: number; headers?: Record<string, string>; body?: string } | 'cut';

interface Kind {
  path: RegExp;
  authorization(key: string): string;
  body(guildId: string, chatUserId: string, gameUserId: string): unknown;
}

const kinds: Readonly<Record<LinkSource, Kind>> = {
  bloxlink: {
    path: /^\/bloxlink\/v4\/public\/guilds\/(\d+)\/discord-to-roblox\/(\d+)$/,
    authorization: (key) => key,
    body: (_guildId, _chatUserId, gameUserId) => ({ robloxID: gameUserId, resolved: {} }),
  },
  rover: {
    path: /^\/rover\/api\/guilds\/(\d+)\/discord-to-roblox\/(\d+)$/,
    authorization: (key) => `Bearer ${key}`,
    body: (guildId, chatUserId, gameUserId) => ({
      robloxId: Number(gameUserId),
      cachedUsername: 'somebody',
      discordId: chatUserId,
      guildId,
    }),
  },
  rowifi: {
    path: /^\/rowifi\/v3\/guilds\/(\d+)\/members\/(\d+)$/,
    authorization: (key) => `Bot ${key}`,
    body: (_guildId, chatUserId, gameUserId) => ({ discord_id: chatUserId, roblox_id: Number(gameUserId) }),
  },
};

/** Stand-ins for Bloxlink's, RoVer's and RoWifi's APIs: they know links, accept one key, and fail on request. */
export class LinkSources {
  key = 'the-server-key';
  readonly links = new Map<string, string>();
  /** Each request takes one of these, the first first. */
  readonly faults: SourceFault[] = [];
  /** Discord ids in the order in which they were asked for. */
  readonly asked: string[] = [];

  constructor(readonly url: string) {}

  /** Switches all three on, and names these stand-ins. */
  get environment(): Record<string, string> {
    return {
      PEOPLE_IMPORT: 'bloxlink,rover,rowifi',
      BLOXLINK_API_URL: `${this.url}/bloxlink`,
      ROVER_API_URL: `${this.url}/rover`,
      ROWIFI_API_URL: `${this.url}/rowifi`,
    };
  }

  answer(path: string, authorization: string | undefined, response: ServerResponse): void {
    const send = (status: number, body: string, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    const fault = this.faults.shift();
    if (fault === 'cut') return void response.socket?.destroy();
    if (fault !== undefined) return void send(fault.status, fault.body ?? '{}', fault.headers);
    for (const kind of Object.values(kinds)) {
      const [, guildId = '', chatUserId = ''] = kind.path.exec(path) ?? [];
      if (chatUserId === '') continue;
      this.asked.push(chatUserId);
      if (authorization !== kind.authorization(this.key)) return void send(401, '{"error":"invalid key"}');
      const gameUserId = this.links.get(chatUserId);
      if (gameUserId === undefined) return void send(404, '{"error":"not found"}');
      return void send(200, JSON.stringify(kind.body(guildId, chatUserId, gameUserId)));
    }
    send(404, '{"error":"no such path"}');
  }
}

/** Starts the stand-ins on a free port; they end with the process. */
export async function startLinkSources(): Promise<LinkSources> {
  const server = createServer(({ url = '', headers }, response) =>
    sources.answer(url, headers.authorization, response),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const sources = new LinkSources(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return sources;
}
