import { expect } from 'chai';
import { noteCommand, noteRoleChange, promptnessOf } from '../../../src/core/guilds/promptness.js';
import { clock } from '../../../src/lib/clock.js';
import { metrics } from '../../../src/lib/metrics.js';
import { privateWords } from '../../commands/private-answer.js';
import { runPendingSyncs } from '../../support/background.js';
import { buildGuild, eventually } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildGroupGuild, buildSettledMember, mapTo, rolesOf } from '../sync/sync-setup.js';

// SYNC-141
describe('The promptness of a guild', () => {
  afterEach(() => clock.restore());

  it('The overview says how long role changes and commands took, and nothing before the first', async () => {
    const { discord } = await world();
    const guild = await buildGroupGuild();
    const shown = async () => (await guild.api.get(`${guild.path}/overview`)).body.promptness;
    expect(await shown()).to.deep.equal({ roleChanges: null, commands: null });
    const [roleId = ''] = await mapTo(guild, { type: 'verified' });
    const person = await buildSettledMember(guild);
    discord.setMemberRoles(guild.guildId, person.chatUserId, []);
    await eventually(async () => {
      await runPendingSyncs(guild.guildId);
      return (await rolesOf(guild, person))?.includes(roleId) && (await shown()).roleChanges !== null;
    }, 'the role again');
    await privateWords(discord.command(guild.guildId, guild.ownerId, 'help'));
    const { roleChanges, commands } = await shown();
    for (const taken of [roleChanges, commands]) expect(taken.p50Seconds).to.be.within(0, taken.p99Seconds);
    const text = await metrics.getSingleMetricAsString('rolelink_role_change_delay_seconds');
    expect(text).to.match(/_count [1-9]/);
    const other = await buildGuild();
    expect((await other.api.get(`${other.path}/overview`)).body.promptness.roleChanges).to.equal(null);
  });

  it('A change counts from the moment when it became necessary', () => {
    const guildId = '1000000000000000001';
    clock.freeze(clock.now());
    const since = clock.now();
    clock.advance(7_000);
    noteRoleChange(guildId, since);
    expect(promptnessOf(guildId).roleChanges).to.deep.equal({ p50Seconds: 7, p99Seconds: 7 });
  });

  it('The promptness of a guild counts its last hundred syncs', () => {
    const guildId = '1000000000000000002';
    noteCommand(guildId, 60_000);
    for (let index = 1; index <= 100; index += 1) noteCommand(guildId, index * 1_000);
    expect(promptnessOf(guildId).commands).to.deep.equal({ p50Seconds: 50, p99Seconds: 99 });
  });
});
