import { expect } from 'chai';
import { countFact } from '../../../src/core/counters/daily-counters.js';
import { storeLevels } from '../../../src/core/counters/daily-levels.js';
import type { historyView } from '../../../src/features/guild-views/guild-history.js';
import { clock } from '../../../src/lib/clock.js';
import { dayMs } from '../../../src/lib/time.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildGuild, buildMember, eventually, type TestGuild } from '../../support/build.js';
import { world } from '../../support/world.js';
import { resync } from '../sync/resync-setup.js';
import { buildGroupGuild, mapTo, rankFrom } from '../sync/sync-setup.js';

type History = (typeof historyView)['_output'];

async function historyOf({ api, path }: TestGuild, days = ''): Promise<History> {
  const { status, body } = await api.get(`${path}/history${days}`);
  expect(status).to.equal(200);
  return body;
}

const reading = (guildId: string, linked: number, rest = {}) => ({
  ...{ guildId, linked, rankAge: null, rankTarget: 120 },
  ...rest,
});
const ago = (days: number): Date => new Date(clock.epochMs() - days * dayMs);

// API-85, API-86, API-87
describe('The history of a guild', () => {
  withPromptSyncs();
  before(world);

  it('The history of a new guild begins today, with every day before it unknown', async () => {
    const { since, series, mappings } = await historyOf(await buildGuild());
    expect(series).to.have.length(30);
    expect(since).to.equal(series.at(-1)?.date);
    expect(series.at(-1)).to.include({ linked: 0, synced: 0, rankAgeSeconds: null, rankTargetSeconds: 120 });
    expect(series[0]).to.include({ linked: null, rankAgeSeconds: null, rankTargetSeconds: null, verified: 0 });
    expect(mappings).to.deep.equal([]);
  });

  it('The history has 7, 30 or 90 days, and no other number', async () => {
    const guild = await buildGuild();
    await countFact(guild.guildId, 'synced', ago(89));
    for (const length of [7, 30, 90]) {
      const { series } = await historyOf(guild, `?days=${length}`);
      expect(series).to.have.length(length);
      expect(series.reduce((sum, { synced }) => sum + synced, 0)).to.equal(length === 90 ? 1 : 0);
    }
    for (const query of ['days=31', 'days=', 'days=7.0', 'days=7&days=30', 'length=7']) {
      const { status, body } = await guild.api.get(`${guild.path}/history?${query}`);
      expect(status, query).to.equal(400);
      expect(body.code, query).to.equal('invalid_request');
    }
  });

  it('A guild’s history counts the last reading of a day, of the age of ranks the highest, and reads today when asked', async () => {
    const guild = await buildGuild();
    const { guildId } = guild;
    const at = ago(2);
    await countFact(guildId, 'syncFailed', at);
    await storeLevels([reading(guildId, 4, { rankAge: 90 })], at);
    await storeLevels([reading(guildId, 5, { rankAge: 300 })], at);
    await storeLevels([reading(guildId, 3, { rankAge: 60, rankTarget: 900 })], at);
    await storeLevels([reading(guildId, 99)], clock.now());
    await buildMember(guild);
    const { since, series } = await historyOf(guild, '?days=7');
    const known = series.filter(({ linked }) => linked !== null);
    expect(known.map(({ linked }) => linked)).to.deep.equal([3, 1]);
    expect(known[0]).to.include({ syncFailed: 1, rankAgeSeconds: 300, rankTargetSeconds: 900 });
    expect(since).to.equal(known[0]?.date);
    await buildMember(guild);
    expect((await historyOf(guild, '?days=7')).series.at(-1)).to.include({ linked: 2 });
  });

  it('The history returns the holders of today’s mappings, most holders first', async () => {
    const guild = await buildGroupGuild();
    const { roblox } = await world();
    await mapTo(guild, rankFrom(guild, 100));
    await mapTo(guild, { type: 'verified' });
    const [one, two] = (await guild.api.get(`${guild.path}/mappings`)).body.data;
    const person = await buildMember(guild);
    await buildMember(guild);
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await storeLevels([reading(guild.guildId, 9, { holding: { [one.mappingId]: 7, map_gone: 8 } })], ago(1));
    await resync(guild);
    const { mappings } = await eventually(async () => {
      const found = await historyOf(guild, '?days=7');
      return found.mappings.some(({ holding }) => holding.at(-1) === 2) ? found : null;
    }, 'two holders');
    expect(mappings.map(({ mappingId, holding }) => ({ mappingId, holding: holding.slice(-2) }))).to.deep.equal([
      { mappingId: two.mappingId, holding: [null, 2] },
      { mappingId: one.mappingId, holding: [7, 1] },
    ]);
    expect(mappings[0]?.roleIds).to.deep.equal(two.roleIds);
    expect(mappings.every(({ holding }) => holding.length === 7)).to.equal(true);
  });

  it('The history of a guild is no other guild’s', async () => {
    const [mine, other] = [await buildGuild(), await buildGuild()];
    await storeLevels([reading(other.guildId, 41)], ago(1));
    expect((await historyOf(mine, '?days=7')).series.map(({ linked }) => linked)).not.to.include(41);
    expect((await mine.api.get(`${other.path}/history`)).status).to.equal(404);
  });
});
