import { createHash, createHmac } from 'node:crypto';
import { expect } from 'chai';
import { WebhookEndpoints } from '../../../src/features/webhooks/endpoint-model.js';
import {
  inForce,
  newEndpointSecret,
  rotated,
  signingSecrets,
} from '../../../src/features/webhooks/endpoint-secrets.js';
import { getEndpoint } from '../../../src/features/webhooks/endpoint-service.js';
import { hashSecret } from '../../../src/lib/ids.js';
import { buildGuild } from '../../support/build.js';
import { type Receiver, startReceiver } from './receiver.js';
import { webhookEntries } from './webhook-entries.js';

const hourMs = 60 * 60_000;

// HOOK-6, HOOK-7
describe('Rotation of secrets', () => {
  const start = new Date('2026-03-01T00:00:00.000Z');
  const hour = (hours: number) => new Date(start.getTime() + hours * hourMs);
  const secretAt = (name: string, hours: number) => ({
    sealed: name,
    fingerprint: name,
    createdAt: hour(hours),
    validUntil: null,
  });
  const endsOf = (secrets: ReturnType<typeof rotated>) => secrets.map(({ sealed, validUntil }) => [sealed, validUntil]);

  it('A secret stays readable while a thousand others are read at the same moment', async () => {
    const { secret, stored } = await newEndpointSecret('whk_first', start);
    const others = Array.from({ length: 1_001 }, (_, n) => ({ ...stored, sealed: `no secret ${n}` }));
    const [first] = await Promise.all([
      signingSecrets({ _id: 'whk_first', secrets: [stored] }, start),
      ...others.map((other) => signingSecrets({ _id: 'whk_other', secrets: [other] }, start).catch(() => [])),
    ]);
    expect(first).to.deep.equal([secret]);
  });

  it('An old webhook secret signs for 24 hours more, to the millisecond', () => {
    const both = rotated([secretAt('a', 0)], secretAt('b', 1), hour(1), { immediately: false });
    expect(endsOf(both)).to.deep.equal([
      ['b', null],
      ['a', hour(25)],
    ]);
    const names = (at: Date) => inForce(both, at).map(({ sealed }) => sealed);
    expect(names(new Date(hour(25).getTime() - 1))).to.deep.equal(['b', 'a']);
    expect(names(hour(25))).to.deep.equal(['b']);
  });

  it('An immediate secret rotation ends all other secrets immediately', () => {
    const two = rotated([secretAt('a', 0)], secretAt('b', 1), hour(1), { immediately: false });
    expect(endsOf(rotated(two, secretAt('c', 2), hour(2), { immediately: true }))).to.deep.equal([['c', null]]);
  });

  it('Another rotation keeps each webhook secret’s own end, three at most, and drops those that are over', () => {
    const two = rotated([secretAt('a', 0)], secretAt('b', 1), hour(1), { immediately: false });
    const three = rotated(two, secretAt('c', 2), hour(2), { immediately: false });
    expect(endsOf(three)).to.deep.equal([
      ['c', null],
      ['b', hour(26)],
      ['a', hour(25)],
    ]);
    const stillThree = rotated(three, secretAt('d', 3), hour(3), { immediately: false });
    expect(stillThree.map(({ sealed }) => sealed)).to.deep.equal(['d', 'c', 'b']);
    const later = rotated(three, secretAt('d', 30), hour(30), { immediately: false });
    expect(endsOf(later)).to.deep.equal([
      ['d', null],
      ['c', hour(54)],
    ]);
  });
});

describe('New secrets', () => {
  it('A new webhook secret is 32 random bytes, which only its own endpoint can read', async () => {
    const at = new Date();
    const { secret, stored } = await newEndpointSecret('whk_1', at);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).to.have.length(32);
    expect(secret).to.match(/^whsec_/);
    expect(stored.fingerprint).to.equal(createHash('sha256').update(secret).digest('hex').slice(0, 12));
    expect(stored.sealed).not.to.contain(secret.slice(6));
    const stranger = await signingSecrets({ _id: 'whk_2', secrets: [stored] }, at).catch((error: Error) => error);
    expect(stranger).to.be.an.instanceOf(Error);
    expect(await signingSecrets({ _id: 'whk_1', secrets: [stored] }, at)).to.deep.equal([secret]);
    const lost = { ...stored, sealed: `${stored.sealed.slice(0, -4)}AAAA` };
    expect(await signingSecrets({ _id: 'whk_1', secrets: [stored, lost] }, at)).to.deep.equal([secret]);
    const others = await Promise.all(Array.from({ length: 20 }, () => newEndpointSecret('whk_1', at)));
    expect(new Set([secret, ...others.map((other) => other.secret)]).size).to.equal(21);
  });
});

describe('Rotation of secrets in the API', () => {
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  after(() => receiver.close());

  async function endpointWithSecret() {
    const guild = await buildGuild();
    const { body } = await guild.api.post(`${guild.path}/webhooks`, { url: receiver.url, events: ['role.synced'] });
    return {
      guild,
      path: `${guild.path}/webhooks/${body.webhookId}`,
      webhookId: body.webhookId,
      secret: body.secret as string,
    };
  }

  /** The last received delivery's `v1` values, and the expected value for each secret. */
  function lastSigned(secrets: string[]): { sent: string[]; expected: string[] } {
    const last = receiver.received.at(-1);
    const body = last?.body ?? '';
    const sent = String(last?.headers['x-link-signature']).split(',').slice(1);
    return { sent, expected: secrets.map((key) => `v1=${createHmac('sha256', key).update(body).digest('hex')}`) };
  }

  it('A secret’s rotation signs with both secrets from the next delivery on, shows the new one once, and logs neither', async () => {
    const { guild, path, webhookId, secret } = await endpointWithSecret();
    const answer = await guild.api.post(`${path}/rotate-secret`);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    const added = answer.body.secret;
    expect(added)
      .to.match(/^whsec_/)
      .and.not.to.equal(secret);
    const [newest, old] = answer.body.secrets;
    expect(answer.body.secrets).to.have.length(2);
    expect(newest).to.deep.include({ fingerprint: hashSecret(added).slice(0, 12), validUntil: null });
    expect(old.fingerprint).to.equal(hashSecret(secret).slice(0, 12));
    expect(Date.parse(old.validUntil) - Date.parse(newest.createdAt)).to.equal(24 * hourMs);

    expect((await guild.api.post(`${path}/test`, {})).body).to.deep.include({ delivered: true });
    const { sent, expected } = lastSigned([added, secret]);
    expect(sent).to.deep.equal(expected);
    const read = await guild.api.get(path);
    expect(read.body.secrets).to.deep.equal(answer.body.secrets);
    expect(read.body).not.to.have.property('secret');

    const log = await webhookEntries(guild.guildId);
    const entry = log.find(({ action }) => action === 'webhook.secret_rotated');
    expect(entry?.target).to.deep.include({ kind: 'webhook', id: webhookId });
    expect(entry?.changes).to.deep.equal({
      fingerprint: { from: old.fingerprint, to: newest.fingerprint },
      oldSecretValidUntil: { from: null, to: new Date(old.validUntil) },
    });
    const everything = JSON.stringify([log, await WebhookEndpoints.find({ guildId: guild.guildId })]);
    for (const key of [secret, added]) expect(everything).not.to.contain(key.slice(6, 26));
  });

  it('A secret’s rotation with immediately=true ends the old secret immediately', async () => {
    const { guild, path, secret } = await endpointWithSecret();
    const { body } = await guild.api.post(`${path}/rotate-secret?immediately=true`);
    expect(body.secrets).to.have.length(1);
    await guild.api.post(`${path}/test`, {});
    const { sent, expected } = lastSigned([body.secret]);
    expect(sent).to.deep.equal(expected);
    expect(sent).not.to.deep.equal(lastSigned([secret]).expected);
    expect((await guild.api.post(`${path}/rotate-secret?immediately=perhaps`)).status).to.equal(400);
  });

  it('Three simultaneous secret rotations each leave their secret in force', async () => {
    const { guild, path, webhookId } = await endpointWithSecret();
    const answers = await Promise.all([1, 2, 3].map(() => guild.api.post(`${path}/rotate-secret`)));
    const shown = answers.map(({ body }) => body.secret as string);
    const signing = await signingSecrets(await getEndpoint(guild.guildId, webhookId), new Date());
    expect(signing).to.have.members(shown);
  });
});
