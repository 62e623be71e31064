import { expect } from 'chai';
import { findGroups } from '../../../src/core/groups/group-service.js';
import { changePlan } from '../../../src/core/guilds/guild-service.js';
import { buildGuild } from '../../support/build.js';
import { world } from '../../support/world.js';

// PLAN-3
describe('A plan’s limit under 50 simultaneous requests', () => {
  it('Simultaneous requests add exactly as many groups as the plan allows', async () => {
    const { roblox } = await world();
    const { api, path, guildId } = await buildGuild();
    await changePlan(guildId, 'free');
    const groups = Array.from({ length: 50 }, (_, index) => roblox.addGroup({ name: `At once ${index}` }));
    const answers = await Promise.all(groups.map(({ id }) => api.post(`${path}/groups`, { groupId: id })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([...Array(3).fill(201), ...Array(47).fill(402)]);
    expect(await findGroups(guildId)).to.have.length(3);
    const refused = answers.find(({ status }) => status === 402);
    expect(refused?.body.detail).to.equal('The plan free allows 3 groups.');
  });
});
