import { expect } from 'chai';
import { type WebhookEndpoint, WebhookEndpoints } from '../../../src/features/webhooks/endpoint-model.js';
import {
  disableEndpoint,
  isFailingTooLong,
  noteEndpointResult,
} from '../../../src/features/webhooks/endpoint-results.js';
import { getEndpoint } from '../../../src/features/webhooks/endpoint-service.js';
import { clock } from '../../../src/lib/clock.js';
import { newId } from '../../../src/lib/ids.js';
import { buildGuild, type TestGuild } from '../../support/build.js';
import { webhookEntries } from './webhook-entries.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const start = new Date('2026-03-01T00:00:00.000Z');
const later = (ms: number): Date => new Date(start.getTime() + ms);

/** A new guild's endpoint with `past` attempts; `note` records one more, from the stored state. */
async function buildEndpoint(past: Partial<WebhookEndpoint> = {}) {
  const guild = await buildGuild();
  const { guildId } = guild;
  const _id = newId('whk');
  const made = { url: 'https://example.com/hook', events: ['role.synced' as const], description: null, enabled: true };
  await WebhookEndpoints.insert({ _id, guildId, ...made, secrets: [], createdAt: start, updatedAt: start, ...past });
  const read = () => getEndpoint(guildId, _id);
  return {
    guild,
    read,
    path: `${guild.path}/webhooks/${_id}`,
    note: async (succeeded: boolean, at: Date) => noteEndpointResult(await read(), succeeded, at),
    facts: async () => {
      const { enabled, disabledReason, lastSuccessAt, lastFailureAt, failingSince } = await read();
      return { enabled, disabledReason, lastSuccessAt, lastFailureAt, failingSince };
    },
  };
}

const disabledIssues = async ({ api, path }: TestGuild): Promise<{ detail: string }[]> =>
  (await api.get(path)).body.health.filter(({ code }: { code: string }) => code === 'webhook_disabled');

// HOOK-19
describe('Endpoints that fail for too long', () => {
  it('A webhook endpoint fails too long after five days to the millisecond, and never without failing', () => {
    expect(isFailingTooLong({}, later(0))).to.equal(false);
    expect(isFailingTooLong({ failingSince: start }, later(5 * dayMs - 1))).to.equal(false);
    expect(isFailingTooLong({ failingSince: start }, later(5 * dayMs))).to.equal(true);
  });
});

describe('Results of an endpoint', () => {
  const on = { enabled: true, disabledReason: undefined };

  it('A webhook endpoint’s successes and failures are noted to the minute', async () => {
    const { note, facts } = await buildEndpoint();
    await note(true, later(0));
    await note(true, later(minuteMs - 1));
    const never = { lastFailureAt: undefined, failingSince: undefined };
    expect(await facts()).to.deep.equal({ ...on, ...never, lastSuccessAt: later(0) });
    await note(true, later(minuteMs));
    expect(await facts()).to.deep.equal({ ...on, ...never, lastSuccessAt: later(minuteMs) });
    await note(false, later(2 * minuteMs));
    await note(false, later(3 * minuteMs - 1));
    await note(false, later(4 * minuteMs));
    const failing = { failingSince: later(2 * minuteMs), lastFailureAt: later(4 * minuteMs) };
    expect(await facts()).to.deep.equal({ ...on, ...failing, lastSuccessAt: later(minuteMs) });
  });

  it('A success ends an endpoint’s failing time, even immediately', async () => {
    const { note, facts } = await buildEndpoint();
    await note(true, later(0));
    await note(false, later(1_000));
    await note(true, later(2_000));
    expect(await facts()).to.deep.include({ ...on, failingSince: undefined });
    await note(false, later(6 * dayMs));
    expect(await facts()).to.deep.include({ ...on, failingSince: later(6 * dayMs) });
  });

  it('A webhook endpoint that has failed for five days is turned off, with a log entry and a health issue', async () => {
    const { note, facts, guild, path } = await buildEndpoint();
    for (let hours = 0; hours < 120; hours += 10) await note(false, later(hours * 60 * minuteMs));
    expect(await facts()).to.deep.include({ ...on, failingSince: later(0) });
    expect(await disabledIssues(guild)).to.deep.equal([]);
    await note(false, later(5 * dayMs));
    await note(false, later(5 * dayMs + 1));
    expect(await facts()).to.deep.include({ enabled: false, disabledReason: 'failing' });
    const [entry, ...others] = await webhookEntries(guild.guildId);
    expect(others).to.deep.equal([]);
    expect(entry).to.deep.include({ action: 'webhook.disabled' });
    expect(entry?.actor).to.deep.include({ kind: 'system', id: 'webhook-delivery' });
    expect(entry?.changes).to.deep.equal({
      enabled: { from: true, to: false },
      disabledReason: { from: null, to: 'failing' },
    });
    const [issue] = await disabledIssues(guild);
    expect(issue).to.include({ reason: 'failing' }).and.include.keys('webhookId', 'host');
    expect(issue?.detail).to.contain('example.com').and.contain('failed for five days');

    const { body } = await guild.api.patch(path, { enabled: true });
    expect(body).to.deep.include({ enabled: true, disabledReason: null, failingSince: null });
    expect(await facts()).to.deep.include({ ...on, failingSince: undefined });
    expect(await disabledIssues(guild)).to.deep.equal([]);
    const [enabled] = await webhookEntries(guild.guildId);
    expect(enabled?.changes).to.deep.equal({
      enabled: { from: false, to: true },
      disabledReason: { from: 'failing', to: null },
    });
  });

  // HOOK-28
  it('A webhook endpoint that fails for ten minutes without a success is an issue of health, and no more after one', async () => {
    const now = clock.epochMs();
    const { note, read, guild } = await buildEndpoint();
    const failing = async () =>
      (await guild.api.get(guild.path)).body.health.filter(({ code }: { code: string }) => code === 'webhook_failing');
    await note(false, new Date(now - 5 * minuteMs));
    expect(await failing()).to.deep.equal([]);
    await note(true, new Date(now - 4 * minuteMs));
    await WebhookEndpoints.update(
      { _id: (await read())._id, guildId: guild.guildId },
      { $set: { failingSince: new Date(now - 11 * minuteMs) } },
    );
    const issues = await failing();
    expect(issues).to.have.length(1);
    expect(issues[0]).to.include({ severity: 'warning', host: 'example.com' });
    await note(true, new Date(now));
    expect(await failing()).to.deep.equal([]);
  });

  it('Days in which nothing was sent do not count as failing ones', async () => {
    const { note, facts } = await buildEndpoint();
    await note(false, later(0));
    await note(false, later(30 * dayMs));
    expect(await facts()).to.deep.include({ ...on, failingSince: later(30 * dayMs) });
    await note(false, later(33 * dayMs));
    await note(false, later(35 * dayMs));
    expect(await facts()).to.deep.include({ enabled: false, disabledReason: 'failing' });
  });

  it('A webhook endpoint that succeeded or moved during a failed attempt stays on', async () => {
    const failing = { failingSince: start, lastFailureAt: later(4 * dayMs) };
    const [mended, moved] = await Promise.all([buildEndpoint(failing), buildEndpoint(failing)]);
    const seen = await mended.read();
    await mended.note(true, later(5 * dayMs));
    await noteEndpointResult(seen, false, later(5 * dayMs + 1));
    expect(await mended.facts()).to.deep.include({ ...on, failingSince: undefined });

    const old = await moved.read();
    await moved.guild.api.patch(moved.path, { url: 'https://example.org/' });
    await noteEndpointResult(old, false, later(5 * dayMs));
    expect(await disableEndpoint(old, 'gone')).to.equal(false);
    expect(await moved.facts()).to.deep.include({ ...on, failingSince: undefined });
  });
});

describe('Disabling an endpoint', () => {
  it('A webhook endpoint that is gone is turned off once, even when several attempts find it gone', async () => {
    const { read, facts, guild } = await buildEndpoint();
    const endpoint = await read();
    const told = await Promise.all([1, 2, 3].map(() => disableEndpoint(endpoint, 'gone')));
    expect(told.sort()).to.deep.equal([false, false, true]);
    expect(await facts()).to.deep.include({ enabled: false, disabledReason: 'gone' });
    const entries = await webhookEntries(guild.guildId);
    expect(entries.map(({ action }) => action)).to.deep.equal(['webhook.disabled']);
    expect((await disabledIssues(guild))[0]?.detail).to.contain('410');
  });

  it('A webhook endpoint that a person has turned off is not disabled again', async () => {
    const { read, facts, guild, path } = await buildEndpoint();
    const endpoint = await read();
    await guild.api.patch(path, { enabled: false });
    expect(await disableEndpoint(endpoint, 'gone')).to.equal(false);
    expect(await facts()).to.deep.include({ enabled: false, disabledReason: undefined });
    expect(await disabledIssues(guild)).to.deep.equal([]);
  });
});
