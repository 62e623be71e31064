import { expect } from 'chai';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { Deliveries } from '../../../src/features/webhooks/delivery-model.js';
import { newDelivery } from '../../../src/features/webhooks/delivery-store.js';
import { WebhookEndpoints } from '../../../src/features/webhooks/endpoint-model.js';
import { subscribedEndpoints } from '../../../src/features/webhooks/endpoint-service.js';
import { newId } from '../../../src/lib/ids.js';
import { newEvent } from '../../../src/platforms/events/outbox.js';
import { api } from '../../support/api.js';
import { buildGuild, type TestGuild, tokenFor } from '../../support/build.js';
import { webhookEntries } from './webhook-entries.js';

const draft = { url: 'https://example.com/hook?key=hidden', events: ['role.synced', 'member.unlinked'] };

/** A guild's endpoints, without entries that wait for the relay. */
async function stored({ guildId }: TestGuild) {
  return (await WebhookEndpoints.find({ guildId }, { sort: { _id: 1 } })).map(({ outbox: _, ...endpoint }) => endpoint);
}

const setPlan = ({ guildId }: TestGuild, plan: 'free' | 'pro' | 'enterprise') =>
  GuildRecord.updateOne({ _id: guildId }, { $set: { plan } });

async function make(guild: TestGuild, body: object = draft): Promise<{ webhookId: string; path: string }> {
  const answer = await guild.api.post(`${guild.path}/webhooks`, body);
  expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
  return { webhookId: answer.body.webhookId, path: `${guild.path}/webhooks/${answer.body.webhookId}` };
}

describe('New webhooks', () => {
  // LOG-8
  it('The API registers a webhook, shows its secret once, and stores it encrypted only', async () => {
    const guild = await buildGuild();
    const answer = await guild.api.post(`${guild.path}/webhooks`, { ...draft, description: ' Our site ' });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    const { secret, webhookId, secrets, createdAt, updatedAt, ...shown } = answer.body;
    expect(webhookId).to.match(/^whk_[0-9a-f]{24}$/);
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(updatedAt).to.equal(createdAt);
    expect(secrets).to.deep.equal([{ fingerprint: secrets[0].fingerprint, createdAt, validUntil: null }]);
    const idle = { lastSuccessAt: null, lastFailureAt: null, failingSince: null };
    const made = { ...draft, description: 'Our site', enabled: true };
    expect(shown).to.deep.equal({ ...made, disabledReason: null, paused: null, waiting: 0, ...idle });

    const [row, ...others] = await stored(guild);
    expect(others).to.deep.equal([]);
    expect(row).to.deep.include({ _id: webhookId, guildId: guild.guildId, ...made });
    expect(JSON.stringify(row)).not.to.contain(secret.slice(6, 20));
    const read = await guild.api.get(`${guild.path}/webhooks/${webhookId}`);
    expect(read.body).to.deep.equal({ webhookId, secrets, createdAt, updatedAt, ...shown });

    const [entry] = await webhookEntries(guild.guildId);
    expect(entry).to.deep.include({
      action: 'webhook.created',
      target: { kind: 'webhook', id: webhookId, name: 'example.com' },
    });
    expect(entry?.changes).to.deep.equal({
      url: { from: null, to: 'https://example.com/…' },
      events: { from: null, to: draft.events },
      description: { from: null, to: 'Our site' },
      enabled: { from: null, to: true },
    });
  });

  it('The API refuses a bad webhook with every issue, and explains a forbidden target', async () => {
    const guild = await buildGuild();
    const cases: [object, string[]][] = [
      [{}, ['url', 'events']],
      [{ url: 'https://example.com', events: [] }, ['events']],
      [{ url: 'https://example.com', events: ['role.synced', 'role.synced'] }, ['events']],
      [
        { url: 7, events: ['everything'], description: 5, enabled: 1, secret: 'x' },
        ['url', 'events.0', 'description', 'enabled', 'secret'],
      ],
      [{ ...draft, url: 'https://169.254.169.254/latest' }, ['url']],
      [{ ...draft, url: 'https://me:pass@example.com/' }, ['url']],
      [{ ...draft, url: 'nonsense' }, ['url']],
    ];
    for (const [body, paths] of cases) {
      const answer = await guild.api.post(`${guild.path}/webhooks`, body);
      expect(answer.status, JSON.stringify(body)).to.equal(400);
      expect(answer.body.errors.map((issue: { path: string }) => issue.path)).to.have.members(paths);
    }
    expect(await stored(guild)).to.deep.equal([]);
    expect(await webhookEntries(guild.guildId)).to.deep.equal([]);
  });

  it('The API makes exactly as many webhooks as the plan allows, also for simultaneous requests', async () => {
    const guild = await buildGuild();
    await setPlan(guild, 'pro');
    const asked = await Promise.all(Array.from({ length: 50 }, () => guild.api.post(`${guild.path}/webhooks`, draft)));
    const refused = asked.filter(({ status }) => status === 402);
    expect(asked.filter(({ status }) => status === 201)).to.have.length(5);
    expect(refused.map(({ body }) => body.code)).to.deep.equal(Array(45).fill('plan_limit_reached'));
    expect(refused[0]?.body.detail).to.contain('pro allows 5 webhook endpoints');
    const rows = await stored(guild);
    expect(rows).to.have.length(5);
    expect(await webhookEntries(guild.guildId)).to.have.length(5);
    await guild.api.delete(`${guild.path}/webhooks/${rows[0]?._id}`);
    await make(guild);
    expect((await guild.api.post(`${guild.path}/webhooks`, draft)).status).to.equal(402);
  });

  it('The plan free has no webhooks, and the refusal names the plans that have', async () => {
    const guild = await buildGuild();
    await setPlan(guild, 'free');
    const { status, body } = await guild.api.post(`${guild.path}/webhooks`, draft);
    expect({ status, code: body.code }).to.deep.equal({ status: 402, code: 'plan_limit_reached' });
    expect(body.detail).to.equal('The plan free has no webhooks; the plans pro and enterprise have.');
    expect((await guild.api.get(`${guild.path}/webhooks`)).body).to.deep.equal({ data: [], nextCursor: null });
    expect(await stored(guild)).to.deep.equal([]);
  });
});

describe('The view of a webhook', () => {
  it('The API returns how many deliveries wait for a webhook', async () => {
    const guild = await buildGuild();
    const [{ webhookId, path }, other] = [await make(guild), await make(guild)];
    const event = newEvent('guild.suspended', guild.guildId, { reason: 'x', suspendedAt: '2026-01-01T00:00:00.000Z' });
    const inAnHour = new Date(Date.now() + 60 * 60_000);
    const waiting = { ...newDelivery(event, webhookId, 'event', new Date()), nextAttemptAt: inAnHour };
    const { nextAttemptAt, ...over } = {
      ...waiting,
      _id: newId('dlv'),
      eventId: newId('evt'),
      state: 'failed' as const,
    };
    await Deliveries.insert(waiting);
    await Deliveries.insert(over);
    expect((await guild.api.get(path)).body.waiting).to.equal(1);
    expect((await guild.api.get(other.path)).body.waiting).to.equal(0);
  });
});

describe('Changes of a webhook', () => {
  it('A PATCH changes the named fields of a webhook, leaves the rest, and logs the changes', async () => {
    const guild = await buildGuild();
    const { webhookId, path } = await make(guild);
    const url = 'https://hooks.example.org/other?key=hidden2';
    const { status, body } = await guild.api.patch(path, { url, events: ['guild.suspended'] });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.deep.include({ url, events: ['guild.suspended'], description: null, enabled: true });
    expect(body).not.to.have.property('secret');
    expect((await stored(guild))[0]).to.deep.include({ url, events: ['guild.suspended'], enabled: true });
    const [entry] = await webhookEntries(guild.guildId);
    expect(entry).to.deep.include({
      action: 'webhook.changed',
      target: { kind: 'webhook', id: webhookId, name: 'hooks.example.org' },
    });
    expect(entry?.changes).to.deep.equal({
      url: { from: 'https://example.com/…', to: 'https://hooks.example.org/…' },
      events: { from: draft.events, to: ['guild.suspended'] },
    });
  });

  it('Turning a webhook off and on has its own log entry, and a PATCH without a change has none', async () => {
    const guild = await buildGuild();
    const { path } = await make(guild);
    expect((await guild.api.patch(path, { enabled: false, description: 'Off' })).body.enabled).to.equal(false);
    expect((await guild.api.patch(path, { enabled: false })).status).to.equal(200);
    expect((await guild.api.patch(path, {})).status).to.equal(200);
    expect((await guild.api.patch(path, { enabled: true })).body.enabled).to.equal(true);
    const entries = await webhookEntries(guild.guildId);
    const told = entries.map(({ action, changes }) => [action, Object.keys(changes ?? {}).join()]).reverse();
    expect(told.slice(1)).to.deep.equal([
      ['webhook.changed', 'description'],
      ['webhook.disabled', 'enabled'],
      ['webhook.enabled', 'enabled'],
    ]);
  });

  it('A PATCH with bad values or a forbidden target is refused, and changes nothing', async () => {
    const guild = await buildGuild();
    const { path } = await make(guild);
    const before = await stored(guild);
    for (const body of [{ url: 'https://[fe80::1]/' }, { events: [] }, { webhookId: 'x' }, { url: null }]) {
      const answer = await guild.api.patch(path, body);
      expect(answer.status, JSON.stringify(body)).to.equal(400);
    }
    expect(await stored(guild)).to.deep.equal(before);
  });
});

describe('Removal of a webhook', () => {
  it('A DELETE removes a webhook once and logs its former content', async () => {
    const guild = await buildGuild();
    const { webhookId, path } = await make(guild);
    const answers = await Promise.all([guild.api.delete(path), guild.api.delete(path)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([204, 404]);
    expect(await stored(guild)).to.deep.equal([]);
    expect((await guild.api.get(path)).body.code).to.equal('webhook_not_found');
    const [entry] = await webhookEntries(guild.guildId);
    expect(entry).to.deep.include({ action: 'webhook.removed' });
    expect(entry?.target.id).to.equal(webhookId);
    expect(JSON.stringify(entry)).not.to.contain('hidden');
  });
});

describe('Webhooks of other callers', () => {
  it('Webhooks of another guild are not found and stay as they are; managers see none of their own', async () => {
    const [guild, other] = await Promise.all([buildGuild(), buildGuild()]);
    const { webhookId, path: own } = await make(guild);
    const before = await stored(guild);
    const path = `${other.path}/webhooks/${webhookId}`;
    const asked = [
      await other.api.get(path),
      await other.api.patch(path, { enabled: false }),
      await other.api.post(`${path}/rotate-secret`, {}),
      await other.api.post(`${path}/test`, {}),
      await other.api.delete(path),
    ];
    for (const { status, body } of asked) expect([status, body.code]).to.deep.equal([404, 'webhook_not_found']);
    const manager = api(await tokenFor(guild.guildId, 'manager'));
    for (const answer of [await manager.get(`${guild.path}/webhooks`), await manager.get(own)]) {
      expect(answer.status).to.equal(403);
    }
    expect(await stored(guild)).to.deep.equal(before);
  });
});

describe('Webhooks after a change of plan', () => {
  const receivers = async ({ guildId }: TestGuild) =>
    (await subscribedEndpoints(guildId, 'role.synced')).map(({ _id }) => _id);
  const pauses = async (guild: TestGuild) => {
    const { body } = await guild.api.get(`${guild.path}/webhooks`);
    return body.data.map(({ paused }: { paused: string | null }) => paused);
  };
  const issues = async (guild: TestGuild) => {
    const { body } = await guild.api.get(guild.path);
    return body.health.filter(({ code }: { code: string }) => code === 'webhooks_over_plan');
  };

  it('A smaller plan pauses the newest endpoints that are on, a larger one resumes them, and none is removed', async () => {
    const guild = await buildGuild();
    for (let index = 0; index < 7; index += 1) await make(guild);
    const ids = (await stored(guild)).map(({ _id }) => _id);
    expect(await receivers(guild)).to.deep.equal(ids);
    expect(await issues(guild)).to.deep.equal([]);

    await setPlan(guild, 'pro');
    expect(await receivers(guild)).to.deep.equal(ids.slice(0, 5));
    expect(await pauses(guild)).to.deep.equal([null, null, null, null, null, 'plan_limit', 'plan_limit']);
    expect((await issues(guild))[0].detail).to.contain('the 2 newest');
    // One that is turned off makes room for the next.
    await guild.api.patch(`${guild.path}/webhooks/${ids[1]}`, { enabled: false });
    expect(await receivers(guild)).to.deep.equal([ids[0], ...ids.slice(2, 6)]);

    await setPlan(guild, 'free');
    expect(await receivers(guild)).to.deep.equal([]);
    expect(await pauses(guild)).to.deep.equal([...Array(1).fill('plan_limit'), null, ...Array(5).fill('plan_limit')]);
    expect((await guild.api.post(`${guild.path}/webhooks/${ids[0]}/test`, {})).body.code).to.equal(
      'plan_limit_reached',
    );
    expect((await guild.api.delete(`${guild.path}/webhooks/${ids[0]}`)).status).to.equal(204);

    await setPlan(guild, 'enterprise');
    expect(await receivers(guild)).to.deep.equal(ids.slice(2));
    expect(await issues(guild)).to.deep.equal([]);
  });

  it('Events go only to endpoints that subscribed to them', async () => {
    const guild = await buildGuild();
    const { webhookId } = await make(guild, { ...draft, events: ['role.sync_failed'] });
    expect(await receivers(guild)).to.deep.equal([]);
    const found = await subscribedEndpoints(guild.guildId, 'role.sync_failed');
    expect(found.map(({ _id }) => _id)).to.deep.equal([webhookId]);
    // Events stored before the bot left are still sent.
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { present: false } });
    expect(await subscribedEndpoints(guild.guildId, 'role.sync_failed')).to.have.length(1);
  });
});
