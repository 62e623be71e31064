import { expect } from 'chai';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { privateAnswer, privateWords } from '../../commands/private-answer.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildPerson, eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  memberWrites,
  rankFrom,
  reconfigureRoblox,
} from './sync-setup.js';

// API-66
describe('The reasons for a member’s roles', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: GroupGuild;
  let person: TestPerson;
  let verified: string;
  let officer: string;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    [verified = ''] = await mapTo(guild, { type: 'verified' });
    [officer = ''] = await mapTo(guild, rankFrom(guild, 100));
    person = await buildSettledMember(guild);
    roblox.setRank(guild.groupId, person.gameUserId, 1);
    reconfigureRoblox();
  });
  afterEach(() => roblox.clearFaults());

  const why = async (memberId = person.chatUserId) => {
    const { status, body } = await guild.api.get(`${guild.path}/members/${memberId}/why`);
    expect(status).to.equal(200);
    return body;
  };
  const ask = (chatUserId: string, member?: string) =>
    discord.command(guild.guildId, chatUserId, 'why', member === undefined ? {} : { member });

  // DISC-7
  it('The reasons for roles show the verdict on each mapping, its parts, and the effect of the next sync', async () => {
    discord.setMemberRoles(guild.guildId, person.chatUserId, [officer]);
    discord.forgetRequests();
    const body = await why();
    expect(body).to.deep.include({ memberId: person.chatUserId, status: 'linked', doubt: null });
    expect(body.mappings).to.have.length(2);
    expect(body.mappings[0]).to.deep.include({ verdict: 'matched', parts: [{ path: '', met: true }], paused: null });
    expect(body.mappings[0].roles).to.deep.equal([{ roleId: verified, held: false, change: 'add', blocked: null }]);
    expect(body.mappings[1]).to.deep.include({ verdict: 'unmatched', parts: [{ path: '', met: false }] });
    expect(body.mappings[1].roles).to.deep.equal([{ roleId: officer, held: true, change: 'remove', blocked: null }]);
    expect(await memberWrites(guild)).to.deep.equal([]);
  });

  // DISC-54
  it('The reasons for roles name the next rank that gives roles, and the matching mappings come first', async () => {
    const [recruit = ''] = await mapTo(guild, rankFrom(guild, 255));
    const [next, ...others] = (await why()).next;
    expect(next).to.deep.include({ groupId: guild.groupId, rank: 100, name: 'Officer', roleIds: [officer] });
    expect(others).to.deep.equal([]);
    const words = await privateWords(ask(person.chatUserId));
    expect(words).to.contain(`Officer (rank 100) gives <@&${officer}>`);
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    reconfigureRoblox();
    expect((await why()).next).to.deep.include.members([{ ...next, rank: 255, name: 'Owner', roleIds: [recruit] }]);
    const [, reasons] = (await privateAnswer(ask(person.chatUserId))).embeds;
    const marks = reasons?.description?.split('\n').map((line) => line.slice(0, 1));
    expect(marks).to.deep.equal(['✅', '✅', '❌']);
  });

  it('The reasons for roles contain the ranks that decided them, and when those were read', async () => {
    const first = await why();
    const [{ groupId, roles }] = first.groups;
    expect([groupId, roles[0].rank]).to.deep.equal([guild.groupId, 1]);
    expect(Date.parse(first.ranksReadAt)).to.be.greaterThan(0);
    expect((await why()).ranksReadAt, 'of the same reading').to.equal(first.ranksReadAt);
  });

  // DISC-6
  it('The reasons for roles leave parts open that depend on Roblox while it does not answer, and show the rest', async () => {
    roblox.inject({ match: /^GET apis\./, status: 403 });
    const body = await why();
    expect(body).to.deep.include({ doubt: 'game_platform_unavailable', ranksReadAt: null });
    expect(body.mappings.map(({ verdict }: { verdict: string }) => verdict)).to.deep.equal(['matched', 'undecided']);
    expect(body.mappings[1].parts).to.deep.equal([{ path: '', met: null }]);
    expect(body.groups[0].roles).to.equal(null);
    expect(await privateWords(ask(person.chatUserId)))
      .to.contain('❔')
      .and.contain("Roblox isn't answering");
  });

  // DISC-9
  it('/why names the obstacle of a role to the team, and only the fact to the member', async () => {
    discord.setMemberRoles(guild.guildId, person.chatUserId, []);
    discord.moveRole(guild.guildId, verified, 99);
    const own = await eventually(async () => {
      const words = await privateWords(ask(person.chatUserId));
      return words.includes("couldn't be changed") ? words : null;
    }, 'the moved role');
    expect(own).to.contain('✅').and.not.contain('Drag');
    expect(await privateWords(ask(guild.ownerId, person.chatUserId))).to.contain('Drag');
    expect((await why()).mappings[0].roles[0].blocked).to.equal('role_above_bot');
  });

  // DISC-6
  it('/why answers a member about themselves with facts and their age, and about others only the team', async () => {
    const words = await privateWords(ask(person.chatUserId));
    expect(words).to.contain(`verified as [${person.gameUsername}]`).and.contain('✅').and.contain('❌');
    expect(words).to.match(/Member \(rank 1\) in Group of \d+ · checked <t:\d+:R>/);
    const other = await buildSettledMember(guild, { linked: false });
    const refused = await privateWords(ask(other.chatUserId, person.chatUserId));
    expect(refused).to.equal('You need the team role viewer in this server.');
    const theirs = await privateWords(ask(other.chatUserId));
    expect(theirs).to.contain("isn't verified here. Use </verify:").and.contain('❌');
  });

  // DISC-6
  it('The reasons for roles mark the mappings that the plan pauses', async () => {
    for (let more = 0; more < 9; more += 1) await mapTo(guild, { type: 'unverified' });
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { plan: 'free' } });
    const { mappings } = await why();
    expect(mappings).to.have.length(11);
    expect(mappings.at(-1)).to.deep.include({ verdict: 'undecided', paused: 'mappings_over_plan', parts: [] });
    const first = await privateAnswer(ask(person.chatUserId));
    expect(first.words).to.not.contain('paused');
    const next = discord.press(guild.guildId, person.chatUserId, first, 'Next page');
    expect(await privateWords(next)).to.contain('paused');
  });

  it('The reasons for roles are not found for a person outside the server', async () => {
    const stranger = await buildPerson();
    const { status, body } = await guild.api.get(`${guild.path}/members/${stranger.chatUserId}/why`);
    expect([status, body.code]).to.deep.equal([404, 'member_not_found']);
  });
});
