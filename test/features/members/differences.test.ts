import { expect } from 'chai';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { privateAnswer, privateWords } from '../../commands/private-answer.js';
import { api } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildMember, buildPerson, eventually, type TestPerson, tokenFor } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildGroupGuild, type GroupGuild, mapTo, rankFrom, setSettings } from '../sync/sync-setup.js';

// OBS-10
describe('The differences of a server that only observes', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let officer: string;
  let gains: TestPerson;
  let loses: TestPerson;

  before(async () => {
    ({ discord } = await world());
    guild = await buildGroupGuild();
    await setSettings(guild, { mode: 'observe', nickname: { ...defaultSettings.nickname, enabled: false } });
    [officer = ''] = await mapTo(guild, rankFrom(guild, 100));
    gains = await member(100, []);
    loses = await member(1, [officer]);
    await member(1, []);
  });

  /** A person with a rank in the group and these roles, after their sync. */
  async function member(rank: number, roleIds: string[]): Promise<TestPerson> {
    const person = await buildPerson();
    (await world()).roblox.setRank(guild.groupId, person.gameUserId, rank);
    await buildMember(guild, { person, roleIds });
    await eventually(async () => {
      const stored = await findMember(guild.guildId, person.chatUserId);
      return stored?.wentBy?.gameUserId === person.gameUserId && stored.owedSync === undefined;
    }, 'the sync');
    return person;
  }

  const read = async (query = '') => (await guild.api.get(`${guild.path}/differences${query}`)).body;
  const memberIds = async (query: string): Promise<string[]> =>
    (await read(query)).data.map(({ memberId }: { memberId: string }) => memberId);

  it('The list of differences names each member with a difference and its reason', async () => {
    const { data } = await read();
    const [first, second] = data;
    expect(first).to.deep.include({ memberId: loses.chatUserId, add: [], remove: [officer] });
    expect(first.reasons[0].words).to.match(/^Has group_rank 0, but is Member in the group Group of [^()]*\.$/);
    expect(second).to.deep.include({ memberId: gains.chatUserId, add: [officer], remove: [] });
    expect(second.reasons[0]).to.deep.include({ roleId: officer, code: 'meets_rule' });
    expect(data).to.have.length(2);
  });

  it('A viewer reads the differences over the API, which leave out departed members', async () => {
    const viewer = api(await tokenFor(guild.guildId, 'viewer'));
    for (const door of ['', '/counts', '/export']) {
      expect((await viewer.get(`${guild.path}/differences${door}`)).status, door).to.equal(200);
    }
    const leaver = await member(100, []);
    expect(await memberIds('')).to.include(leaver.chatUserId);
    discord.leave(guild.guildId, leaver.chatUserId);
    await eventually(async () => !(await memberIds('')).includes(leaver.chatUserId), 'the leave');
    expect((await read('/counts')).differing).to.equal(2);
  });

  it('The list of differences is filtered by role and reason', async () => {
    expect(await memberIds(`?roleId=${officer}&reason=meets_rule`)).to.deep.equal([gains.chatUserId]);
    expect(await memberIds(`?reason=misses_rule`)).to.deep.equal([loses.chatUserId]);
    expect(await memberIds(`?roleId=${guild.guildId}`)).to.deep.equal([]);
  });

  it('The counts contain the number of members that match, gain and lose, by role and by reason', async () => {
    const { body } = await guild.api.get(`${guild.path}/differences/counts`);
    expect(body).to.deep.include({ differing: 2, gaining: 1, losing: 1, renamed: 0, kicked: 0 });
    expect(body.matching).to.be.at.least(1);
    expect(body.byRole).to.deep.equal([{ roleId: officer, gaining: 1, losing: 1 }]);
    expect(body.byReason).to.have.deep.members([
      { reason: 'meets_rule', members: 1 },
      { reason: 'misses_rule', members: 1 },
    ]);
  });

  it('The export of differences has a line for each, with names of roles', async () => {
    const { body } = await guild.api.get(`${guild.path}/differences/export?reason=misses_rule`);
    const [head, line, ...more] = String(body).trim().split('\r\n');
    expect(head).to.equal('memberId,chatUsername,gameUsername,add,remove,nickname,kick,since,reasons');
    expect(line).to.match(new RegExp(`^${loses.chatUserId},.*,,group_rank 0,,,`));
    expect(more).to.deep.equal([]);
  });

  it('/differences shows the numbers and each member, by role too', async () => {
    const words = await privateWords(discord.command(guild.guildId, guild.ownerId, 'differences'));
    expect(words).to.contain('**1** would gain roles · **1** would lose roles');
    expect(words).to.contain(`<@${loses.chatUserId}>: Has`).and.contain(`<@${gains.chatUserId}>: Doesn't have`);
    const other = discord.roles(guild.guildId).find(({ id }) => id !== officer)?.id ?? '';
    const none = await privateAnswer(discord.command(guild.guildId, guild.ownerId, 'differences', { role: other }));
    expect(none.words).to.contain('There are no differences.');
  });
});
