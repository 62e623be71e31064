import { expect } from 'chai';
import mongoose from 'mongoose';
import sinon from 'sinon';
import { purgeKeyedRequests } from '../../../src/edges/http/idempotency.js';
import { Mappings } from '../../../src/features/mappings/mapping-model.js';
import { clock } from '../../../src/lib/clock.js';
import { dayMs, minuteMs } from '../../../src/lib/time.js';
import { type Api, api, asPerson } from '../../support/api.js';
import { buildGuild, eventually, type TestGuild, tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';
import { allRoutes } from './http-setup.js';

let serial = 0;
const newKey = (): string => `key-${process.pid}-${Date.now()}-${serial++}`;
const keyed = (key: string) => ({ 'idempotency-key': key });

let guild: TestGuild;
let mapping: { condition: object; roleIds: string[]; name?: string };

/** Gives each test a guild with a role that can be mapped. */
function withRole(): void {
  beforeEach(async () => {
    const { discord } = await world();
    guild = await buildGuild();
    const { id } = discord.addRole(guild.guildId, { name: 'Mapped' });
    await eventually(async () => (await guild.api.get(`${guild.path}/roles/${id}`)).status === 200, 'the role');
    mapping = { condition: { type: 'verified' }, roleIds: [id] };
  });
  afterEach(() => sinon.restore());
}

const stored = () => Mappings.count({ guildId: guild.guildId });

const post = (key: string, body: unknown = mapping, by: Api = guild.api) =>
  by.post(`${guild.path}/mappings`, body, keyed(key));

// API-13, API-14, API-15, API-16, API-17
describe('Repeated requests', () => {
  withRole();

  it('A request repeated under its Idempotency-Key creates nothing twice, and gets the same answer', async () => {
    const key = newKey();
    const first = await post(key);
    expect([first.status, first.headers.get('idempotency-replayed')]).to.deep.equal([201, null]);
    for (let count = 0; count < 3; count += 1) {
      const again = await post(key, { ...mapping, name: undefined });
      expect([again.status, again.headers.get('idempotency-replayed')]).to.deep.equal([201, 'true']);
      expect(again.body).to.deep.equal(first.body);
      expect(again.headers.get('location')).to.equal(first.headers.get('location'));
    }
    expect(await stored()).to.equal(1);
    expect((await post(newKey())).body.mappingId).not.to.equal(first.body.mappingId);
    expect((await guild.api.post(`${guild.path}/mappings`, mapping)).status).to.equal(201);
    expect(await stored()).to.equal(3);
  });

  // API-18
  it('A repeated request shows its secret again to the same caller, and the secret is stored sealed', async () => {
    const webhook = { url: 'https://example.com/hook', events: ['role.synced'] };
    const owner = await asPerson({ chatUserId: guild.ownerId, username: 'owner' });
    for (const [path, body, secret] of [
      ['webhooks', webhook, 'secret'],
      ['tokens', { name: 'once', role: 'viewer' }, 'token'],
    ] as const) {
      const key = newKey();
      const create = () => owner.post(`${guild.path}/${path}`, body, keyed(key));
      const [first, again] = [await create(), await create()];
      expect(first.status).to.equal(201);
      expect(again.body).to.deep.equal(first.body);
      const kept = await mongoose.connection.collection('idempotency_keys').find().toArray();
      const text = JSON.stringify(kept);
      expect(text).not.to.contain(first.body[secret]).and.not.to.contain(key);
      expect(text).not.to.contain(Buffer.from(first.body[secret]).toString('base64url').slice(4, 30));
    }
    expect((await guild.api.get(`${guild.path}/webhooks`)).body.data).to.have.length(1);
  });

  it('Only one of many simultaneous requests with the same Idempotency-Key creates something', async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(key)));
    expect(await stored()).to.equal(1);
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ body }) => body.mappingId)).size).to.equal(1);
    for (const { status, body, headers } of answers.filter((answer) => !made.includes(answer))) {
      expect([status, body.code, headers.get('retry-after')]).to.deep.equal([409, 'request_in_progress', '1']);
    }
  });

  // API-28
  it('A repeated request creates nothing twice when the database was too slow to confirm a write that it has made', async () => {
    const key = newKey();
    const insert = Mappings.insert.bind(Mappings);
    const slow = sinon.stub(Mappings, 'insert').callsFake(async (document) => {
      await insert(document);
      const writeConcernError = {
        code: 64,
        codeName: 'WriteConcernFailed',
        errmsg: 'waiting for replication timed out',
      };
      throw new mongoose.mongo.MongoWriteConcernError({ ok: 1, writeConcernError } as never);
    });
    const first = await post(key);
    expect([first.status, first.body.code]).to.deep.equal([503, 'database_unavailable']);
    expect(first.headers.get('retry-after')).to.equal('5');
    slow.restore();
    for (let count = 0; count < 2; count += 1) {
      const again = await post(key);
      expect([again.status, again.body.code]).to.deep.equal([409, 'outcome_unknown']);
    }
    expect(await stored()).to.equal(1);
  });

  it('A repeated request of a killed process is answered with an unknown result', async () => {
    const key = newKey();
    await post(key);
    const requests = mongoose.connection.collection('idempotency_keys');
    const [last] = await requests.find().sort({ startedAt: -1 }).limit(1).toArray();
    await requests.updateOne({ _id: last?._id ?? '' } as object, { $set: { state: 'running' }, $unset: { answer: 1 } });
    expect((await post(key)).body.code).to.equal('request_in_progress');
    clock.advance(2 * minuteMs);
    expect((await post(key)).body.code).to.equal('outcome_unknown');
    expect(await stored()).to.equal(1);
  });
});

describe('Idempotency keys', () => {
  withRole();

  it('An Idempotency-Key is refused for another request, and belongs to one caller', async () => {
    const key = newKey();
    const { body } = await post(key);
    const other = await post(key, { ...mapping, name: 'Other' });
    expect([other.status, other.body.code]).to.deep.equal([422, 'idempotency_key_reused']);
    const manager = await post(key, mapping, api(await tokenFor(guild.guildId, 'manager')));
    expect(manager.status).to.equal(201);
    expect(manager.body.mappingId).not.to.equal(body.mappingId);
    const webhook = { url: 'https://example.com/hook', events: ['role.synced'] };
    expect((await guild.api.post(`${guild.path}/webhooks`, webhook, keyed(key))).status).to.equal(201);
    expect(await stored()).to.equal(2);
  });

  it('An Idempotency-Key is free again after a refusal', async () => {
    const key = newKey();
    expect((await post(key, { ...mapping, roleIds: ['123456789012345678'] })).status).to.equal(400);
    expect((await post(key)).status).to.equal(201);
    expect(await stored()).to.equal(1);
  });

  it('An Idempotency-Key lasts 24 hours', async () => {
    const key = newKey();
    const { body } = await post(key);
    clock.advance(dayMs - minuteMs);
    expect((await post(key)).body).to.deep.equal(body);
    clock.advance(minuteMs);
    expect((await post(key)).body.mappingId).not.to.equal(body.mappingId);
    const requests = mongoose.connection.collection('idempotency_keys');
    clock.advance(dayMs);
    await purgeKeyedRequests(clock.now());
    expect(await requests.countDocuments({ expiresAt: { $lte: clock.now() } })).to.equal(0);
  });

  // API-12
  it('An Idempotency-Key is 1 to 255 visible ASCII characters', async () => {
    for (const key of ['a b', 'x'.repeat(256), 'caf\u00e9', 'a,\tb']) {
      const { status, body } = await post(key);
      expect([status, body.errors?.[0]?.path], key).to.deep.equal([400, 'headers.idempotency-key']);
    }
    expect(await stored()).to.equal(0);
    expect((await post(`${newKey()}${'!'.repeat(200)}`)).status).to.equal(201);
  });

  // API-12
  it('Every route that creates something takes an Idempotency-Key, and documents it', async () => {
    const { paths } = (await api().get('/api/openapi.json')).body;
    const more = ['POST /api/guilds/:guildId/resync', 'POST /api/guilds/:guildId/mappings/import'];
    const creating = allRoutes().filter(({ options, name }) => 201 in options.answers || more.includes(name));
    expect(creating).to.have.length(11);
    for (const { path, method, options, name } of creating) {
      expect(options.repeatable, name).to.equal(true);
      const { parameters } = paths[path.replaceAll(/:(\w+)/g, '{$1}')][method.toLowerCase()];
      expect(parameters.map((parameter: { name: string }) => parameter.name)).to.include('idempotency-key');
    }
  });
});
