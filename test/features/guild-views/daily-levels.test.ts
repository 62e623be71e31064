import { expect } from 'chai';
import { DailyCounters, purgeCounters } from '../../../src/core/counters/daily-counters.js';
import { guildsWithLevel, storeLevels } from '../../../src/core/counters/daily-levels.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { noteLevels } from '../../../src/features/guild-views/guild-levels.js';
import { clock } from '../../../src/lib/clock.js';
import { dayMs, hourMs } from '../../../src/lib/time.js';
import { buildGuild, buildMember, type TestGuild } from '../../support/build.js';
import { world } from '../../support/world.js';

const noon = (): Date => new Date(`${clock.now().toISOString().slice(0, 10)}T12:00:00.000Z`);
const levelsOf = ({ guildId }: TestGuild) => DailyCounters.find({ guildId }, { sort: { day: 1 } });
const note = () => noteLevels(new AbortController().signal);

// API-86, API-88
describe('The readings of guilds for their histories', () => {
  before(world);
  afterEach(() => clock.restore());

  it('Every guild with the bot is read at least every six hours, and again on the next day', async () => {
    const [guild, suspended, left] = [await buildGuild(), await buildGuild(), await buildGuild()];
    await buildMember(guild);
    await GuildRecord.updateOne({ _id: suspended.guildId }, { $set: { state: 'suspended' } });
    await GuildRecord.updateOne({ _id: left.guildId }, { $set: { present: false } });
    const begun = noon();
    clock.freeze(begun);
    await note();
    const read = async () => (await levelsOf(guild)).map(({ level }) => level?.at);
    expect(await read()).to.deep.equal([begun]);
    expect((await levelsOf(guild))[0]?.level).to.deep.equal({ at: begun, linked: 1, rankTarget: 120 });
    for (const other of [suspended, left]) expect((await levelsOf(other)).map(({ level }) => level)).to.deep.equal([]);
    clock.advance(6 * hourMs - 1);
    await note();
    expect(await read()).to.deep.equal([begun]);
    clock.advance(1);
    await note();
    expect(await read()).to.deep.equal([clock.now()]);
    clock.advance(6 * hourMs);
    await note();
    expect(await read()).to.deep.equal([new Date(begun.getTime() + 6 * hourMs), clock.now()]);
    await GuildRecord.updateOne({ _id: suspended.guildId }, { $set: { state: 'active' } });
  });

  it('A stop ends the readings, and the next run continues with the remaining guilds', async () => {
    const guild = await buildGuild();
    clock.freeze(noon());
    await noteLevels(AbortSignal.abort());
    expect(await levelsOf(guild)).to.deep.equal([]);
    await note();
    expect(await guildsWithLevel(clock.now())).to.include(guild.guildId);
  });

  it('The purge removes readings older than 91 days', async () => {
    const { guildId } = await buildGuild();
    const now = clock.now();
    const reading = { guildId, linked: 1, rankAge: null, rankTarget: 120 };
    for (const days of [89, 91, 92]) await storeLevels([reading], new Date(now.getTime() - days * dayMs));
    await purgeCounters(now);
    expect(await DailyCounters.find({ guildId })).to.have.length(2);
  });
});
