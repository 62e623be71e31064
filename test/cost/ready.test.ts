import { expect } from 'chai';
import { trusted } from 'mongoose';
import { GuildRecord } from '../../src/core/guilds/guild-model.js';
import { rolesKeys } from '../../src/features/mappings/mapped-role-state.js';
import { plannedRuns } from '../../src/platforms/jobs/runs.js';
import { eventually, skipReconciliations } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { beside, type Measured, measure } from './cost-meter.js';

const count = 150;

describe('The cost of a new gateway session', () => {
  let discord: World['discord'];
  let guildIds: string[];

  before(async () => {
    ({ discord } = await world());
    const { id: ownerId } = discord.addUser({ username: 'owner of many' });
    guildIds = Array.from({ length: count }, (_, n) => discord.addGuild({ name: `Of many ${n}`, ownerId }).id);
    const settled = { _id: trusted({ $in: guildIds }), 'mappedRoles.rolesKey': trusted({ $exists: true }) };
    const areSettled = async () => (await GuildRecord.countDocuments(settled)) === count;
    await eventually(areSettled, 'the looks at the roles');
  });
  afterEach(() => skipReconciliations());
  after(async () => {
    for (const guildId of guildIds) discord.removeBot(guildId);
    const left = { _id: trusted({ $in: guildIds }), present: true };
    await eventually(async () => (await GuildRecord.countDocuments(left)) === 0, 'the leaving');
  });

  /** A new session that resumes none, and the events before it. */
  function newSession(happen: () => void = () => {}): Promise<Measured> {
    return measure(
      async () => {
        const since = new Date();
        discord.dropGateway(100);
        discord.invalidateSessions();
        happen();
        const kept = { _id: trusted({ $in: guildIds }), present: true, keptAt: trusted({ $gt: since }) };
        const areKept = async () => (await GuildRecord.countDocuments(kept)) === count;
        await beside(() => eventually(areKept, 'the new session'));
      },
      { ids: guildIds },
    );
  }

  const areCompared = () => plannedRuns().some(({ name, id }) => name === 'log-mapped-roles' && guildIds.includes(id));

  it('A new gateway session costs no more with more guilds, where nothing changed', async () => {
    const { details, cost } = await newSession();
    expect(cost.database, details.join('\n')).to.be.at.most(10);
    expect(areCompared()).to.equal(false);
    const owed = { _id: trusted({ $in: guildIds }), catchUpAt: trusted({ $exists: true }) };
    expect(await GuildRecord.countDocuments(owed)).to.equal(count);
  });

  it('A new gateway session costs work only for a guild with changed roles or a changed name', async () => {
    const [changed = '', renamed = ''] = guildIds;
    const before = await rolesKeys(guildIds);
    await newSession(() => {
      discord.moveRole(changed, discord.botRole(changed).id, 1);
      discord.addRole(changed, { name: 'New' });
      discord.renameGuild(renamed, 'Renamed meanwhile');
    });
    const isOther = (after: typeof before) => guildIds.filter((guildId) => after.get(guildId) !== before.get(guildId));
    const differing = await eventually(async () => {
      const others = isOther(await rolesKeys(guildIds));
      return others.length > 0 ? others : null;
    }, 'the look');
    expect(differing).to.deep.equal([changed]);
    expect(areCompared()).to.equal(false);
    expect((await GuildRecord.findById(renamed).lean())?.name).to.equal('Renamed meanwhile');
  });
});
