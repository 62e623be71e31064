import { expect } from 'chai';
import sinon from 'sinon';
import { config, useConfig } from '../../../src/config/config.js';
import { clock } from '../../../src/lib/clock.js';
import { metrics } from '../../../src/lib/metrics.js';
import { api } from '../../support/api.js';
import { buildGuild, buildMember } from '../../support/build.js';

// API-49, API-50
describe('GET /metrics', () => {
  it('GET /metrics shows requests, lanes, platforms and jobs in the Prometheus text format', async () => {
    const guild = await buildGuild();
    await buildMember(guild);
    await guild.api.get(guild.path);
    const { status, headers, body } = await api().get('/metrics');
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/);
    expect(body).to.match(
      /rolelink_http_request_duration_seconds_count\{method="GET",route="\/api\/guilds\/:guildId",status="200"\} [1-9]/,
    );
    expect(body).to.match(/rolelink_discord_waiting_calls\{lane="bulk"\} \d+/);
    expect(body).to.match(/rolelink_discord_invalid_requests \d+/);
    expect(body).to.match(/rolelink_roblox_requests\{host="(?:apis|users)",kind="requests"\} [1-9]/);
    expect(body).to.match(/rolelink_jobs\{job="retry-syncs",state="completed"\} \d+/);
  });

  // API-36
  it('GET /metrics asks the database once a second, and takes 60 requests a minute from an address', async () => {
    clock.freeze(new Date('2026-01-01T00:00:00Z'));
    clock.advance(1_000);
    const measured = sinon.spy(metrics, 'metrics');
    await Promise.all([api().get('/metrics'), api().get('/metrics')]);
    await api().get('/metrics');
    expect(measured.callCount).to.equal(1);
    clock.advance(1_000);
    const { headers } = await api().get('/metrics');
    expect([measured.callCount, headers.get('ratelimit-limit')]).to.deep.equal([2, '60']);
  });

  // API-45
  it('GET /metrics takes METRICS_TOKEN where there is one, and nothing else', async () => {
    const open = config();
    const token = 'metrics-token-of-32-characters!!';
    useConfig({ ...open, metricsToken: token });
    const guild = await buildGuild();
    const read = (authorization?: string) => api().get('/metrics', authorization ? { authorization } : undefined);
    try {
      for (const scheme of ['Bearer', 'bearer']) expect((await read(`${scheme} ${token}`)).status).to.equal(200);
      for (const wrong of [undefined, token, `Bearer ${token}x`, 'Bearer', `Bot ${token}`, `Bot ${guild.token}`]) {
        const { status, headers, body } = await read(wrong);
        expect([status, body.code], wrong ?? 'none').to.deep.equal([401, 'unauthenticated']);
        expect(headers.get('www-authenticate')).to.equal('Bearer');
      }
    } finally {
      useConfig(open);
    }
    expect((await read()).status).to.equal(200);
  });
});
