import { expect } from 'chai';
import { config } from '../../../src/config/config.js';
import type { Condition } from '../../../src/features/mappings/condition.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { world } from '../../support/world.js';
import { buildGroupGuild, mapTo } from '../sync/sync-setup.js';

describe('Mappings that need a Roblox API key', () => {
  before(world);
  afterEach(() => configureRoblox(config().roblox));

  const item: Condition = { type: 'owns_item', kind: 'badge', id: '5' };
  const nested: Condition = { type: 'all', of: [{ type: 'verified' }, { type: 'not', of: { type: 'premium' } }] };

  it('A guild’s health names mappings that need a Roblox key while there is none, and not afterwards', async () => {
    const guild = await buildGroupGuild();
    await mapTo(guild, item);
    await mapTo(guild, nested);
    await mapTo(guild, { type: 'account_age', days: 30 });
    const { body } = await guild.api.get(`${guild.path}/mappings`);
    const needing = body.data
      .filter(({ condition }: { condition: Condition }) => ['owns_item', 'all'].includes(condition.type))
      .map(({ mappingId }: { mappingId: string }) => mappingId);
    const issues = async () =>
      (await guild.api.get(guild.path)).body.health.filter(
        ({ code }: { code: string }) => code === 'roblox_key_needed',
      );

    const { apiKey: _, ...without } = config().roblox;
    configureRoblox(without);
    const [issue, ...more] = await issues();
    expect(more).to.deep.equal([]);
    expect(issue).to.include({ severity: 'error', count: 2 });
    expect(issue.mappingIds).to.have.members(needing);
    for (const mappingId of needing) expect(issue.detail).to.contain(mappingId);

    configureRoblox({ ...without, apiKey: 'key' });
    expect(await issues()).to.deep.equal([]);
  });
});
