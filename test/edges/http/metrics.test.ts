import { expect } from 'chai';
import { api } from '../../support/api.js';
import { buildGuild, buildMember } from '../../support/build.js';

describe('GET /metrics', () => {
  it('shows requests, lanes, platforms and jobs in the Prometheus text format', async () => {
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
    expect(body).to.match(/rolelink_roblox_requests\{host="users",kind="requests"\} [1-9]/);
    expect(body).to.match(/rolelink_jobs\{job="retry-syncs",state="completed"\} \d+/);
  });
});
