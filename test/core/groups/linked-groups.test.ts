import { expect } from 'chai';
import { LinkedGroups } from '../../../src/core/groups/group-model.js';
import { findGroups } from '../../../src/core/groups/group-service.js';
import { configureRoblox, robloxConfig } from '../../../src/platforms/roblox/roblox-config.js';
import { robloxStats } from '../../../src/platforms/roblox/roblox-host.js';
import { buildGuild, eventually, type TestGuild } from '../../support/build.js';
import { world } from '../../support/world.js';

/** A guild with a group that was copied ten minutes ago. */
async function guildWithOldCopy() {
  const { roblox } = await world();
  const guild = await buildGuild();
  const game = roblox.addGroup({ name: 'Builders' });
  // The outage in the test before may have opened a breaker.
  configureRoblox(robloxConfig());
  const added = await guild.api.post(`${guild.path}/groups`, { groupId: game.id });
  expect(added.status).to.equal(201);
  const refreshedAt = new Date(Date.now() - 10 * 60_000);
  await LinkedGroups.update({ guildId: guild.guildId, groupId: game.id }, { $set: { refreshedAt } });
  // The adapter's cache is as old, so that it asks again.
  configureRoblox(robloxConfig());
  return { guild, game, refreshedAt };
}

async function listed({ api, path }: TestGuild) {
  const { status, body } = await api.get(`${path}/groups`);
  expect(status).to.equal(200);
  return body.data[0];
}

const roleNames = (group: { roles: { name: string }[] } | undefined) => group?.roles.map(({ name }) => name);

describe('The copy of a group', () => {
  it('A copy of a group older than five minutes is refreshed when it is shown', async () => {
    const { roblox } = await world();
    const { guild, game, refreshedAt } = await guildWithOldCopy();
    roblox.addGroupRole(game.id, { name: 'Veteran', rank: 50 });
    const shown = await listed(guild);
    expect(roleNames(shown)).to.deep.equal(['Guest', 'Member', 'Veteran', 'Officer', 'Owner']);
    expect(Date.parse(shown.refreshedAt)).to.be.above(refreshedAt.getTime());
    const [stored] = await findGroups(guild.guildId);
    expect(roleNames(stored)).to.deep.equal(roleNames(shown));
    roblox.forgetRequests();
    await listed(guild);
    expect(roblox.requests).to.deep.equal([]);
  });

  it('The old copy of a group is shown while Roblox fails', async () => {
    const { roblox } = await world();
    const { guild, game, refreshedAt } = await guildWithOldCopy();
    roblox.addGroupRole(game.id, { name: 'Veteran', rank: 50 });
    const restore = roblox.inject({ match: /apis\.roblox\.com\/cloud\/v2\/groups/, status: 500 });
    const shown = await listed(guild).finally(restore);
    expect(roleNames(shown)).to.deep.equal(['Guest', 'Member', 'Officer', 'Owner']);
    expect(shown.refreshedAt).to.equal(refreshedAt.toISOString());
  });

  it('The old copy of a group is shown after two seconds while Roblox is slow', async () => {
    const { roblox } = await world();
    const { guild, refreshedAt } = await guildWithOldCopy();
    const slow = roblox.hold({ match: /apis\.roblox\.com\/cloud\/v2\/groups/, times: Number.POSITIVE_INFINITY });
    const begun = performance.now();
    const shown = await listed(guild);
    expect(performance.now() - begun).to.be.at.least(1_900);
    expect(shown.refreshedAt).to.equal(refreshedAt.toISOString());
    // The read itself, with ten seconds for each attempt, still runs.
    expect(robloxStats()).to.include({ retries: 0, failures: 0 });
    slow.letGo();
    // Its calls would count among those of the next file.
    const isRead = async () => ((await findGroups(guild.guildId))[0]?.refreshedAt ?? 0) > refreshedAt;
    await eventually(isRead, 'the end of the read');
  });

  it('The copy of a group outlives the group on Roblox, marked as gone', async () => {
    const { roblox, discord } = await world();
    const { guild, game } = await guildWithOldCopy();
    const { id: roleId } = discord.addRole(guild.guildId, { name: 'Member' });
    const condition = { type: 'group_member', groupId: game.id };
    const made = await guild.api.post(`${guild.path}/mappings`, { condition, roleIds: [roleId] });
    expect(made.body.status).to.equal('ok');
    roblox.removeGroup(game.id);
    const shown = await listed(guild);
    expect(shown).to.deep.include({ name: 'Builders', gone: true });
    expect(roleNames(shown)).to.deep.equal(['Guest', 'Member', 'Officer', 'Owner']);
    const { body } = await guild.api.get(`${guild.path}/mappings`);
    expect(body.data[0].status).to.equal('group_missing');
  });
});
