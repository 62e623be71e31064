import { expect } from 'chai';
import {
  answerOf,
  createRolelinkClient,
  everyItem,
  everyPart,
  type RolelinkOptions,
  RolelinkRefusal,
} from '../../src/client/rolelink-client.js';
import { buildGuild, buildMember, type TestGuild } from '../support/build.js';
import { world } from '../support/world.js';

/** A client whose requests get these answers in turn; an error is thrown. `sent` are the requests. */
function scripted(answers: (Response | Error)[], options: Partial<RolelinkOptions> = {}) {
  const sent: { request: Request; body: string }[] = [];
  const send = async (request: Request): Promise<Response> => {
    request.signal.throwIfAborted();
    sent.push({ request, body: await request.clone().text() });
    const answer = answers.shift();
    if (answer instanceof Response) return answer;
    throw answer ?? new Error('There is no answer left.');
  };
  const client = createRolelinkClient({ url: 'http://rolelink.test/', token: 'rlk_1', fetch: send, ...options });
  return { client, sent };
}

const now = { 'retry-after': '0' };
const lost = () => new TypeError('fetch failed');
const refused = (status: number, headers: Record<string, string> = {}) =>
  Response.json({ code: 'busy', detail: 'Later.' }, { status, headers });
const made = () => Response.json({ groupId: '7' }, { status: 201 });
const guild = { params: { path: { guildId: '1' } } };
const wish = { ...guild, body: { groupId: '7' } };
const groups = '/api/guilds/{guildId}/groups';

describe('The client for integrators', () => {
  it('A refusal is thrown with its status, code and Retry-After, also where no problem document came', async () => {
    const { client } = scripted([refused(403, { 'retry-after': '7' }), new Response('<html>', { status: 502 })], {
      attempts: 1,
    });
    const read = () =>
      answerOf(client.GET(groups, guild)).then(
        () => undefined,
        (error: unknown) => error,
      );
    const first = await read();
    expect(first).to.be.instanceOf(RolelinkRefusal);
    expect(first).to.include({ status: 403, code: 'busy', message: 'Later.', retryAfterSeconds: 7 });
    expect(await read()).to.include({
      status: 502,
      code: undefined,
      message: 'HTTP 502',
      retryAfterSeconds: undefined,
    });
  });

  it('A POST that creates is repeated with one key and one body, until there is an answer', async () => {
    const answers = [refused(429, now), refused(503, now), refused(409, now), made()];
    const { client, sent } = scripted(answers);
    expect(await answerOf(client.POST(groups, wish))).to.deep.equal({ groupId: '7' });
    expect(sent).to.have.length(4);
    const keys = sent.map(({ request }) => request.headers.get('idempotency-key'));
    expect(keys[0]).to.match(/^[0-9a-f-]{36}$/);
    expect(new Set(keys)).to.have.length(1);
    expect(new Set(sent.map(({ body }) => body))).to.deep.equal(new Set(['{"groupId":"7"}']));
    expect(sent.map(({ request }) => request.headers.get('authorization'))).to.include('Bot rlk_1');
    expect(sent[0]?.request.headers.get('user-agent')).to.match(/^rolelink-client\/\d+\.\d+\.\d+$/);
  });

  it('Each POST that creates has a key of its own, or the given one', async () => {
    const { client, sent } = scripted([made(), made(), made()]);
    await client.POST(groups, wish);
    await client.POST(groups, wish);
    await client.POST(groups, { ...wish, params: { ...wish.params, header: { 'idempotency-key': 'mine' } } });
    const keys = sent.map(({ request }) => request.headers.get('idempotency-key'));
    expect(new Set(keys)).to.have.length(3);
    expect(keys[2]).to.equal('mine');
  });

  it('A lost connection is tried again where that can do nothing twice', async () => {
    const { client, sent } = scripted([lost(), made(), lost()], { longestWaitMs: 1 });
    expect((await client.POST(groups, wish)).response.status).to.equal(201);
    const preview = client.POST('/api/guilds/{guildId}/members/{memberId}/resync', {
      params: { path: { guildId: '1', memberId: '2' } },
    });
    expect(await preview.catch((error: unknown) => error)).to.be.instanceOf(TypeError);
    expect(sent).to.have.length(3);
    expect(sent[2]?.request.headers.has('idempotency-key')).to.equal(false);
  });

  it('A POST without a key is repeated after a 429 alone', async () => {
    const { client, sent } = scripted([refused(429, now), refused(503, now)]);
    const path = '/api/guilds/{guildId}/members/{memberId}/resync';
    const { response } = await client.POST(path, { params: { path: { guildId: '1', memberId: '2' } } });
    expect([response.status, sent.length]).to.deep.equal([503, 2]);
  });

  it('Retry-After is waited for, as seconds and as a date, unless it is longer than the client waits', async () => {
    const [at, later] = ['Thu, 01 Jan 2026 00:00:00 GMT', 'Thu, 01 Jan 2026 00:00:01 GMT'];
    const begun = performance.now();
    const first = scripted([
      refused(429, { 'retry-after': '0.5' }),
      refused(503, { 'retry-after': later, date: at }),
      made(),
    ]);
    expect((await first.client.POST(groups, wish)).response.status).to.equal(201);
    expect(performance.now() - begun).to.be.within(1_450, 10_000);
    const second = scripted([refused(429, { 'retry-after': '61' })]);
    expect((await second.client.GET(groups, guild)).response.status).to.equal(429);
  });

  it('A preview is read part by part, each with the cursor of the one before', async () => {
    const part = (nextCursor: string | null) => Response.json({ previewId: 'job_1', members: [], nextCursor });
    const { client, sent } = scripted([part('two'), part('three'), part(null)]);
    const seen = [];
    const read = (page: { cursor?: string }) =>
      client.POST('/api/guilds/{guildId}/sync/preview', { ...guild, body: { memberIds: ['1'], ...page } });
    for await (const { previewId, nextCursor } of everyPart(read)) seen.push([previewId, nextCursor]);
    expect(seen.map(([, next]) => next)).to.deep.equal(['two', 'three', null]);
    expect(sent.map(({ body }) => JSON.parse(body).cursor)).to.deep.equal([undefined, 'two', 'three']);
  });

  it('The client returns the answer of its last attempt', async () => {
    const { client, sent } = scripted([refused(429, now), refused(429, now), lost()], { attempts: 2 });
    expect((await client.GET(groups, guild)).response.status).to.equal(429);
    expect(sent).to.have.length(2);
  });

  it('A request that the caller aborts is not retried', async () => {
    const { client, sent } = scripted([made()]);
    const call = client.GET(groups, { ...guild, signal: AbortSignal.abort() });
    expect(await call.catch(String)).to.contain('aborted');
    expect(sent).to.have.length(0);
  });

  it('An attempt without an answer in time is ended, and the next one made', async () => {
    let calls = 0;
    const { client } = scripted([], {
      timeoutMs: 20,
      longestWaitMs: 1,
      fetch: (request) =>
        new Promise((resolve, reject) => {
          calls += 1;
          if (calls === 2) resolve(made());
          request.signal.addEventListener('abort', () => reject(request.signal.reason));
        }),
    });
    expect((await client.GET(groups, guild)).response.status).to.equal(201);
    expect(calls).to.equal(2);
  });
});

describe('The client on the service', () => {
  let here: TestGuild;
  let names: string[];

  before(async () => {
    here = await buildGuild();
    const people = [await buildMember(here), await buildMember(here), await buildMember(here)];
    names = people.map(({ gameUsername }) => gameUsername);
  });

  it('The client reads a list item by item, page by page, and stops reading when its caller stops', async () => {
    const client = createRolelinkClient({ url: (await world()).url, token: here.token });
    let pages = 0;
    const members = () =>
      everyItem((page) => {
        pages += 1;
        const path = { guildId: here.guildId };
        return client.GET('/api/guilds/{guildId}/members', { params: { path, query: { limit: 2, ...page } } });
      });
    const found: (string | null)[] = [];
    for await (const { gameUsername } of members()) found.push(gameUsername);
    expect(found).to.have.members(names);
    expect(pages).to.equal(2);
    for await (const _ of members()) break;
    expect(pages).to.equal(3);
  });

  it('The client creates once, and throws the service’s refusals', async () => {
    const client = createRolelinkClient({ url: (await world()).url, token: here.token });
    const path = { guildId: here.guildId };
    const body = { condition: { type: 'verified' as const }, roleIds: ['1'] };
    const refusal = await answerOf(client.POST('/api/guilds/{guildId}/mappings', { params: { path }, body })).catch(
      (error: unknown) => error,
    );
    expect(refusal).to.be.instanceOf(RolelinkRefusal);
    expect(await answerOf(client.GET('/api/info'))).to.have.property('webhookDelivery');
  });
});
