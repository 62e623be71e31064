import { expect } from 'chai';
import { linkPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildResyncGuild } from '../sync/resync-setup.js';
import { beginAlone, beginWatch, watchAfter } from '../sync/watch-setup.js';
import { connect, publish, shown } from './linked-role-setup.js';

// LINK-14
describe('The rank watch for Linked Roles', () => {
  let roblox: World['roblox'];
  let end: (() => Promise<void>) | undefined;

  before(async () => {
    ({ roblox } = await world());
    await beginAlone();
  });
  after(() => end?.());

  it('Linked Roles follow a promotion that the watch sees before their own next check', async () => {
    const guild = await buildResyncGuild({ count: 1 });
    const person = guild.people[0] ?? expect.fail('nobody there');
    end = await publish(`rank:${guild.groupId}`);
    await linkPerson(null, person);
    await connect(person);
    await shown(person, { [`rank_${guild.groupId}`]: '1' });
    await beginWatch(guild);
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await watchAfter(61);
    await shown(person, { [`rank_${guild.groupId}`]: '100' });
  });
});
