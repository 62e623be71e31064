import { expect } from 'chai';
import { z } from 'zod';
import { checkGameKey } from '../../../src/features/installation/game-key.js';
import { clock } from '../../../src/lib/clock.js';
import { field } from '../../sandbox/roblox/roblox-fixture.js';
import { buildGuild } from '../../support/build.js';
import { type World, world } from '../../support/world.js';

const dayMs = 24 * 60 * 60 * 1000;

// ROBLOX-7, ROBLOX-8
describe('The host’s Roblox key', () => {
  let service: World;
  before(async () => {
    service = await world();
  });
  afterEach(async () => {
    service.roblox.clearFaults();
    service.roblox.mendKey();
    await checkGameKey();
  });

  const warnings = async () => {
    const answer = await fetch(`${service.url}/readyz`);
    expect(answer.status).to.equal(200);
    // Another test may have run the doctor, which reports more.
    return z
      .array(z.string())
      .parse(field(await answer.json(), 'warnings'))
      .filter((code) => code.startsWith('roblox_key'));
  };

  it('The boot checks the host’s Roblox key, and a good one is no issue', async () => {
    expect(await warnings()).to.deep.equal([]);
  });

  it('A Roblox key that expires, was disabled or lacks its scope is named in health and /readyz', async () => {
    const guild = await buildGuild();
    const cases = {
      roblox_key_expiring: { expiresAt: new Date(clock.epochMs() + 6 * dayMs) },
      roblox_key_expired: { expiresAt: new Date(clock.epochMs() - dayMs) },
      roblox_key_disabled: { enabled: false },
      roblox_key_scope_missing: { expiresAt: null, enabled: true, scopes: ['asset:read'] },
    };
    for (const [code, key] of Object.entries(cases)) {
      service.roblox.setKey(key);
      await checkGameKey();
      expect(await warnings()).to.deep.equal([code]);
      const { health } = (await guild.api.get(guild.path)).body;
      const [issue] = health.filter((found: { code: string }) => found.code === code);
      expect(issue.detail).to.contain("of this bot's host").and.to.contain('Tell whoever runs the bot');
      expect(JSON.stringify(health)).not.to.contain(service.roblox.apiKey);
    }
  });

  it('The state of the Roblox key stays as it was known while Roblox does not answer', async () => {
    service.roblox.setKey({ enabled: false });
    await checkGameKey();
    service.roblox.inject({ match: /introspect/, status: 403 });
    const failed = await checkGameKey().catch((error: unknown) => error);
    expect(failed).to.have.property('kind', 'unavailable');
    expect(await warnings()).to.deep.equal(['roblox_key_disabled']);
  });
});
