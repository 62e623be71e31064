import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Db, MongoClient } from 'mongodb';
import { request } from 'undici';
import { serveParent } from './remote-process.js';

// The least that answers these reads: node:http and the driver, the token's signature, and one find after the other for
// what the answer needs. Nothing is limited, validated, counted or logged.

type Row = Record<string, unknown> & { _id: string };

let [database, secret]: [Db | undefined, string] = [undefined, ''];
/** The service's, which says where the platforms are. */
let environment: Record<string, string> = {};

const rows = (name: string) => {
  if (database === undefined) throw new Error('The database is not connected.');
  return database.collection<Row>(name);
};

/** The token's row with a matching signature. */
async function tokenOf({ headers }: IncomingMessage): Promise<Row> {
  const [head = '', payload = '', signature = ''] = (headers.authorization ?? '').replace('Bot rlk_', '').split('.');
  const expected = createHmac('sha256', secret).update(`${head}.${payload}`).digest();
  if (!timingSafeEqual(expected, Buffer.from(signature, 'base64url'))) throw new Error('The signature does not fit.');
  const { sub, gid, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const token = await rows('bot_tokens').findOne({ _id: sub, guildId: gid });
  if (token === null || exp * 1_000 < Date.now()) throw new Error('There is no such token.');
  return token;
}

async function guildOf(token: Row): Promise<Row> {
  const guild = await rows('guilds').findOne({ _id: String(token.guildId), present: true });
  if (guild === null) throw new Error('There is no such guild.');
  return guild;
}

const linked = { state: 'linked', present: true, goneSince: { $exists: false } };
const newestFirst = { linkedAt: -1, _id: -1 } as const;

/** The same authentication, and one write. */
async function putMapping(sent: IncomingMessage, id: string): Promise<Row | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of sent) chunks.push(chunk);
  const draft = JSON.parse(Buffer.concat(chunks).toString());
  const { _id: guildId } = await guildOf(await tokenOf(sent));
  const change = { $set: { ...draft, updatedAt: new Date() } };
  return rows('mappings').findOneAndUpdate({ _id: id, guildId }, change, { returnDocument: 'after' });
}

/** The same authentication, reads and platform calls, and one write to the member. Nothing is planned or locked. */
async function resync(sent: IncomingMessage): Promise<object> {
  const { _id: guildId } = await guildOf(await tokenOf(sent));
  const chatUserId = sent.url?.split('/').at(-2) ?? '';
  const [member] = await Promise.all([
    rows('members').findOne({ guildId, chatUserId }),
    rows('settings').findOne({ guildId }),
    rows('groups').find({ guildId }).toArray(),
    rows('mappings').find({ guildId, enabled: true }).toArray(),
  ]);
  const gameUserId = String(member?.gameUserId);
  const path = `/guilds/${guildId}/members/${chatUserId}`;
  const filter = encodeURIComponent(`user in ['users/${gameUserId}']`);
  const [{ roles }] = await Promise.all([
    callDiscord('GET', path),
    callRoblox(`/cloud/v2/users/${gameUserId}`),
    callRoblox(`/cloud/v2/groups/-/memberships?maxPageSize=100&filter=${filter}`),
  ]);
  // For those whom the bench syncs with a change.
  if (roles.length > 1) await callDiscord('PUT', `${path}/roles/${roles[1]}`);
  const at = new Date();
  const change = { $set: { syncedAt: at }, $push: { syncs: { $each: [{ at, trigger: 'api' }], $slice: -10 } } };
  return { member: await rows('members').findOneAndUpdate({ guildId, chatUserId }, change as never) };
}

async function callDiscord(method: 'GET' | 'PUT', path: string): Promise<{ roles: string[] }> {
  const headers = { authorization: `Bot ${environment.DISCORD_TOKEN}` };
  const { body } = await request(`${environment.DISCORD_API_URL}/v10${path}`, { method, headers });
  const text = await body.text();
  return text === '' ? { roles: [] } : JSON.parse(text);
}

async function callRoblox(path: string): Promise<unknown> {
  const headers = { 'x-api-key': environment.ROBLOX_API_KEY ?? '' };
  const { body } = await request(`${environment.ROBLOX_APIS_URL}${path}`, { headers });
  return body.json();
}

/** By the path's end. */
const reads: Record<string, (sent: IncomingMessage, query: URLSearchParams) => Promise<unknown>> = {
  async mappings(sent, query) {
    const { _id: guildId } = await guildOf(await tokenOf(sent));
    const [groups, data] = await Promise.all([
      rows('groups').find({ guildId }).toArray(),
      rows('mappings')
        .find({ guildId })
        .sort({ _id: 1 })
        .limit(Number(query.get('limit') ?? 25) + 1)
        .toArray(),
    ]);
    return { data, groups: groups.length };
  },
  async members(sent, query) {
    const { _id: guildId } = await guildOf(await tokenOf(sent));
    const gameUserId = query.get('gameUserId');
    const filter = { guildId, ...linked, ...(gameUserId !== null && { gameUserId }) };
    const found = rows('members').find(filter).sort(newestFirst);
    return { data: await found.limit(Number(query.get('limit') ?? 25) + 1).toArray() };
  },
  async me(sent) {
    if (sent.headers.authorization !== undefined) return guildOf(await tokenOf(sent));
    const id = /=([^;]+)/.exec(sent.headers.cookie ?? '')?.[1] ?? '';
    const session = await rows('sessions').findOne({ _id: createHash('sha256').update(id).digest('hex') });
    const chatUserId = String(session?.chatUserId);
    const [account, teams] = await Promise.all([
      rows('accounts').findOne({ _id: chatUserId }),
      rows('teammates').find({ chatUserId }).toArray(),
    ]);
    return { session, account, teams };
  },
};

export const readsBareVerbs = {
  async start(stage: { databaseUri: string; secret: string; environment: Record<string, string> }): Promise<string> {
    database = (await new MongoClient(stage.databaseUri).connect()).db();
    ({ secret, environment } = stage);
    const server = createServer((sent, answer) => {
      const { pathname, searchParams } = new URL(sent.url ?? '/', 'http://localhost');
      const end = pathname.slice(pathname.lastIndexOf('/') + 1);
      const body =
        (sent.method === 'PUT'
          ? putMapping(sent, end)
          : end === 'resync'
            ? resync(sent)
            : reads[end]?.(sent, searchParams)) ?? Promise.reject(new Error('There is no such read.'));
      void body.then(
        (found) => answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found)),
        (error: unknown) => answer.writeHead(500).end(String(error)),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },

  worked: (_: null): number => process.cpuUsage().user + process.cpuUsage().system,
};

serveParent(readsBareVerbs);
