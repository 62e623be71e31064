import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { RateLimiterMongo } from 'rate-limiter-flexible';
import sinon from 'sinon';
import { createRateLimits } from '../../../src/edges/http/rate-limits.js';
import { Plans } from '../../../src/features/sync/plan/plan-model.js';
import { Conflict } from '../../../src/lib/errors.js';
import { buildGuild, eventually, type TestGuild, tokenFor } from '../../support/build.js';
import { type Answer, expectProblem, type HttpSide, sessionHeaders, startHttp, tokenHeaders } from './http-setup.js';

const remaining = ({ headers }: Answer): number => Number(headers['ratelimit-remaining']);

// API-33
describe('The limits of a guild’s tokens', () => {
  let http: HttpSide;
  let guild: TestGuild;
  let tokens: Record<string, string>[];
  beforeEach(async () => {
    http = await startHttp({ rateLimits: await createRateLimits() });
    guild = await buildGuild();
    tokens = [];
    for (const role of ['owner', 'manager', 'viewer'] as const) {
      tokens.push(tokenHeaders(await tokenFor(guild.guildId, role)));
    }
  });
  afterEach(() => http.close());

  /** Sends `count` requests, by each token in turn. */
  const sendInTurn = async (method: string, path: string, count: number): Promise<Answer[]> => {
    const answers: Answer[] = [];
    for (let index = 0; index < count; index += 1) {
      const headers = tokens[index % tokens.length] ?? {};
      answers.push(await http.send(method, path, { headers, ...(method === 'POST' && { body: {} }) }));
    }
    return answers;
  };

  it('A guild’s tokens share 120 changes a minute, for any number of tokens', async () => {
    const answers = await sendInTurn('POST', `${guild.path}/tokens`, 120);
    expect(answers.map(({ status }) => status)).not.to.include(429);
    expect(answers.map(remaining)).to.deep.equal(Array.from({ length: 120 }, (_, index) => 119 - index));
    for (const answer of await sendInTurn('POST', `${guild.path}/tokens`, 3)) {
      expectProblem(answer, 429, 'rate_limited');
    }
    const read = await http.send('GET', guild.path, { headers: tokens[0] ?? {} });
    expect(read.status).to.equal(200);
  });

  // API-32
  it('A guild’s tokens may read 600 times a minute together, apart from their changes', async () => {
    const answers = await sendInTurn('GET', `${guild.path}/mappings?limit=0`, 600);
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([400]));
    for (const answer of await sendInTurn('GET', guild.path, 3)) expectProblem(answer, 429, 'rate_limited');
    expect(remaining((await sendInTurn('POST', `${guild.path}/tokens`, 1))[0] as Answer)).to.equal(119);

    const other = await buildGuild();
    const elsewhere = await http.send('GET', other.path, { headers: tokenHeaders(other.token) });
    expect([elsewhere.status, remaining(elsewhere)]).to.deep.equal([200, 599]);
    const person = await http.send('GET', guild.path, { headers: await sessionHeaders(guild.ownerId) });
    expect([person.status, remaining(person)]).to.deep.equal([200, 119]);
  });

  // API-31, API-35
  it('A guild’s tokens start six resyncs an hour together; asking for the running one and confirming it cost none', async () => {
    const start = (body: unknown, headers = tokens[0] ?? {}) =>
      http.send('POST', `${guild.path}/resync`, { headers, body });
    const ended = (jobId: string) =>
      eventually(async () => (await Plans.findOne({ _id: jobId, guildId: guild.guildId }))?.open === undefined);
    const first = await start({});
    expect(first.status).to.equal(202);
    expect(first.headers['ratelimit-limit']).to.equal('6');
    const { jobId } = first.json;
    await ended(jobId);

    // As if it were held back by the brake.
    const held = { open: true, awaitingConfirmation: { losing: 50, share: 0.9, since: new Date() }, state: 'running' };
    await Plans.update({ _id: jobId, guildId: guild.guildId }, { $set: held as object });
    for (let count = 0; count < 10; count += 1) {
      const again = await start({}, tokens[count % 2]);
      expect([again.status, again.json.jobId]).to.deep.equal([202, jobId]);
    }
    expect((await start({ confirm: jobId })).status).to.equal(202);
    await Plans.update({ _id: jobId, guildId: guild.guildId }, { $set: { state: 'completed' }, $unset: { open: 1 } });
    for (let count = 0; count < 5; count += 1) {
      const next = await start({ memberIds: [guild.ownerId] }, tokens[count % 2]);
      expect([next.status, next.headers['ratelimit-remaining']]).to.deep.equal([202, String(4 - count)]);
      await ended(next.json.jobId);
    }
    const refused = await start({}, tokens[1]);
    expectProblem(refused, 429, 'rate_limited');
    expect(Number(refused.headers['retry-after'])).to.be.within(1, 3_600);
    const absent = await start({ confirm: jobId });
    expectProblem(absent, 409, 'nothing_to_confirm');
  });

  // API-35
  it('Resyncs that are requested at the same moment count once, since only one of them is new', async () => {
    const start = () => http.send('POST', `${guild.path}/resync`, { headers: tokens[0] ?? {}, body: {} });
    const started = await Promise.all(Array.from({ length: 5 }, start));
    expect(new Set(started.map(({ status, json }) => `${status} ${json.jobId}`)).size).to.equal(1);
    const { jobId } = started[0]?.json ?? {};
    const isEnded = async () => (await Plans.findOne({ _id: jobId, guildId: guild.guildId }))?.open === undefined;
    await eventually(isEnded);
    expect((await start()).headers['ratelimit-remaining']).to.equal('4');
  });

  // API-35
  it('A setup that is refused starts no resync, and counts none', async () => {
    const apply = () =>
      http.send('POST', `${guild.path}/setup/apply`, { headers: tokens[0] ?? {}, body: { key: 'of another setup' } });
    for (let count = 0; count < 7; count += 1) expectProblem(await apply(), 412, 'version_mismatch');
  });
});

describe('A count of a limit that can’t be given back', () => {
  afterEach(() => sinon.restore());

  it('A request is answered although its count can’t be given back', async () => {
    const limits = await createRateLimits();
    sinon.stub(RateLimiterMongo.prototype, 'reward').rejects(new Error('The database is away.'));
    const note = () => undefined;
    const giveBack = await limits.spend(randomUUID(), 'guild_resync', note);
    await giveBack();
    const guesser = { code_guess: randomUUID(), code_guess_of_guild: randomUUID() };
    const wrong = 'game_code_not_valid';
    expect(await limits.guess(guesser, note, async () => 'right', wrong)).to.equal('right');
    const refusal = new Conflict('busy', 'Not now.');
    const refused = limits.guess(guesser, note, () => Promise.reject(refusal), wrong);
    expect(await refused.catch((error: unknown) => error)).to.equal(refusal);
  });
});
