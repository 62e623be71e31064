import { expect } from 'chai';
import { newSecret } from '../../../src/lib/ids.js';
import { privateAnswer } from '../../commands/private-answer.js';
import { api } from '../../support/api.js';
import { buildGuild, buildMember } from '../../support/build.js';
import { hasSecret } from '../../support/log-canaries.js';
import { linesOf } from '../../support/logged-lines.js';
import { world } from '../../support/world.js';

// ENV-23, ENV-25
describe('The log of requests', () => {
  const token = newSecret();

  for (const [request, path] of [
    [`GET /api/verification/session/${token}`, '/api/verification/session/:cut'],
    [`POST /api/verification/session/${token}`, '/api/verification/session/:cut'],
    [`GET /verify/${token}`, '/verify/:cut'],
    [`GET /verify/${token}/more`, '/verify/:cut/more'],
    [`GET /${token}`, '/:cut'],
    [`DELETE /api/guilds/${token}/mappings`, '/api/guilds/:cut/mappings'],
  ] as const) {
    it(`The log has no token of a path: ${request.replace(token, '<token>')}`, async () => {
      const [method = '', url = ''] = request.split(' ');
      const lines = await linesOf(() => api().request(method, url));
      expect(lines.filter(({ msg }) => msg === 'request').map((line) => line.path)).to.deep.equal([path]);
      expect(JSON.stringify(lines)).to.not.contain(token);
    });
  }

  it('The log has neither the token nor the content of an answer that Discord refuses', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const { chatUserId } = await buildMember(guild, { linked: false });
    const lines = await linesOf(async () => {
      discord.inject({ match: /^PATCH .*\/webhooks\//, status: 404, times: 1 });
      const asked = await discord.command(guild.guildId, chatUserId, 'account');
      await privateAnswer(asked);
    });
    discord.clearFaults();
    const told = lines.find(({ msg }) => msg === 'interaction failed');
    expect(told?.err).to.include({ type: 'DiscordAPIError', method: 'PATCH' });
    expect(told?.err?.url).to.match(/\/webhooks\/\d+\/:cut\/messages\/(@|%40)original$/);
    expect(lines.filter((line) => hasSecret(JSON.stringify(line)))).to.deep.equal([]);
  });
});
