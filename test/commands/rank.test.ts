import { expect } from 'chai';
import { config } from '../../src/config/config.js';
import { systemActor } from '../../src/core/actors/actor.js';
import { addGroup } from '../../src/core/groups/group-service.js';
import { RankChanges } from '../../src/features/ranking/rank-change-model.js';
import {
  buildRankingGuild,
  type RankingGuild,
  rankedMember,
  ranksOf,
  teammate,
} from '../features/ranking/ranking-setup.js';
import { mapTo, rankFrom, rolesOf, sync, withoutNicknames } from '../features/sync/sync-setup.js';
import type { SandboxInteraction } from '../sandbox/discord/sandbox-interaction.js';
import { buildMember, buildPerson } from '../support/build.js';
import { onceShown } from '../support/events.js';
import { type World, world } from '../support/world.js';
import { followUpWords, labelsOf, privateAnswer, privateWords } from './private-answer.js';

const promotion = 'Change rank';

async function refusalAfter(pressed: SandboxInteraction): Promise<string> {
  await onceShown(() => pressed.followUps().length > 0, 'the refusal');
  return followUpWords(pressed);
}

// DISC-55 to DISC-60
describe('/rank', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: RankingGuild;

  before(async () => {
    ({ discord, roblox } = await world());
    guild = await buildRankingGuild();
    await withoutNicknames(guild);
  });
  beforeEach(() => guild.useKey());
  afterEach(() => roblox.clearFaults());

  const rank = (by: string, act: string, options: Record<string, string>) =>
    discord.command(guild.guildId, by, `rank ${act}`, options);
  const press = (by: string, message: Parameters<typeof discord.press>[2]) =>
    discord.press(guild.guildId, by, message, promotion);

  it('/rank promote shows the change first, makes it by the press, and names the roles that followed', async () => {
    const person = await rankedMember(guild, 'Recruit');
    const [recruit = ''] = await mapTo(guild, { ...rankFrom(guild, 5), max: 5 } as ReturnType<typeof rankFrom>);
    const [private_ = ''] = await mapTo(guild, rankFrom(guild, 6));
    await sync(guild, person);
    const asked = rank(guild.ownerId, 'promote', { member: person.chatUserId, reason: 'Passed the quiz' });
    const question = await privateAnswer(asked);
    expect(question.words).to.contain('Recruit (rank 5)').and.contain('Private (rank 6)');
    expect(question.words).to.contain(`+ <@&${private_}>`).and.contain(`− <@&${recruit}>`);
    expect(await ranksOf(guild, person), 'not before the press').to.deep.equal([5]);
    const done = await privateAnswer(press(guild.ownerId, question));
    expect(await ranksOf(guild, person)).to.deep.equal([6]);
    expect(await rolesOf(guild, person)).to.deep.equal([private_]);
    expect(done.words).to.contain(`<@&${private_}>`).and.contain(`<@&${recruit}>`);
    const [change] = await RankChanges.find({ guildId: guild.guildId, gameUserId: person.gameUserId });
    expect([change?.door, change?.reason]).to.deep.equal(['discord', 'Passed the quiz']);
  });

  // RANKING-8
  it('/rank demote makes the shown step of a member with a role beside the ladder', async () => {
    const person = await rankedMember(guild, 'Guard', 'Private', 'Recruit');
    const question = await privateAnswer(rank(guild.ownerId, 'demote', { member: person.chatUserId }));
    expect(question.words).to.contain('Recruit (rank 5)');
    await privateAnswer(press(guild.ownerId, question));
    expect(await ranksOf(guild, person)).to.deep.equal([6, 5]);
  });

  it('A replayed press changes nothing, and a rank that changed in the meantime is refused', async () => {
    const person = await rankedMember(guild, 'Recruit');
    const question = await privateAnswer(rank(guild.ownerId, 'promote', { member: person.chatUserId }));
    await privateAnswer(press(guild.ownerId, question));
    const again = await discord.pressAsShown(guild.guildId, guild.ownerId, question, promotion);
    expect(await refusalAfter(again)).to.contain('has changed since');
    expect(await ranksOf(guild, person)).to.deep.equal([6]);
  });

  it('A person who loses the right while the question is open changes nothing', async () => {
    const ranker = await rankedMember(guild, 'Officer');
    await teammate(guild, ranker, 'admin');
    const person = await rankedMember(guild, 'Recruit');
    const question = await privateAnswer(rank(ranker.chatUserId, 'promote', { member: person.chatUserId }));
    roblox.setRank(guild.groupId, ranker.gameUserId, 5);
    expect(await refusalAfter(await press(ranker.chatUserId, question))).to.contain('at or above their own');
    expect(await ranksOf(guild, person)).to.deep.equal([5]);
  });

  it('/rank set and the context menu offer the ranks that the person may give', async () => {
    const ranker = await rankedMember(guild, 'Officer');
    await teammate(guild, ranker, 'admin');
    const person = await rankedMember(guild, 'Recruit');
    const { chatUserId } = person;
    const ways = [
      () => rank(ranker.chatUserId, 'set', { member: chatUserId }),
      () => discord.contextMenu(guild.guildId, ranker.chatUserId, 'Change rank…', chatUserId),
    ];
    for (const way of ways) {
      roblox.setRank(guild.groupId, person.gameUserId, 5);
      const choice = await privateAnswer(way());
      const id = `rank-choose:${guild.groupId}:${person.gameUserId}`;
      const { Member, Private, Officer } = guild.roleIds;
      const above = await discord.select(guild.guildId, ranker.chatUserId, choice, id, [Officer]).catch(String);
      expect(above).to.contain('has only').and.contain(Member).and.not.contain(guild.roleIds.Major);
      const question = await privateAnswer(discord.select(guild.guildId, ranker.chatUserId, choice, id, [Private]));
      expect(labelsOf(question)).to.deep.equal([promotion]);
      await privateAnswer(press(ranker.chatUserId, question));
      expect(await ranksOf(guild, person)).to.deep.equal([6]);
    }
  });

  it('Each person without the right is refused at each of the commands, in words', async () => {
    const person = await rankedMember(guild, 'Recruit');
    const nobody = await rankedMember(guild, 'Officer');
    const manager = await rankedMember(guild, 'Officer');
    const unlinked = await buildMember(guild, { linked: false });
    await teammate(guild, manager, 'manager');
    await teammate(guild, unlinked, 'admin');
    for (const act of ['set', 'promote', 'demote', 'show'])
      for (const { chatUserId } of [nobody, manager, unlinked]) {
        const words = await privateWords(rank(chatUserId, act, { member: person.chatUserId }));
        const why = chatUserId === unlinked.chatUserId ? 'Verify your Roblox account' : "aren't allowed to rank";
        expect(words, `${act} by ${chatUserId}`).to.contain(why);
      }
    const own = await privateWords(rank(guild.ownerId, 'promote', { member: guild.ownerId }));
    expect(own).to.contain('Nobody changes their own rank');
    expect(await ranksOf(guild, person)).to.deep.equal([5]);
  });

  it('A person without the right learns of nobody’s account, whichever way they ask', async () => {
    const asker = (await buildMember(guild)).chatUserId;
    const linked = await rankedMember(guild, 'Recruit');
    const stranger = await buildMember(guild, { linked: false });
    const other = roblox.addGroup({ name: 'Second group' });
    await addGroup(guild.guild, systemActor('test'), other.id);
    (config().rankingGroups as Set<string>).add(other.id);
    for (const { chatUserId } of [linked, stranger]) {
      for (const act of ['set', 'promote', 'demote', 'show']) {
        const { words, components } = await privateAnswer(rank(asker, act, { member: chatUserId }));
        expect(words, act).to.contain("You aren't allowed to rank people");
        expect(components, act).to.deep.equal([]);
      }
    }
    (config().rankingGroups as Set<string>).delete(other.id);
  });

  it('A Roblox account without a member here is ranked by its name, and an unknown name is told', async () => {
    const person = await buildPerson();
    roblox.setGroupRoles(guild.groupId, person.gameUserId, [guild.roleIds.Recruit]);
    const question = await privateAnswer(rank(guild.ownerId, 'demote', { username: person.gameUsername }));
    const done = await privateAnswer(press(guild.ownerId, question));
    expect(done.words).to.contain('linked to nobody here');
    expect(await ranksOf(guild, person)).to.deep.equal([1]);
    const shown = await privateWords(rank(guild.ownerId, 'show', { username: person.gameUsername }));
    expect(shown).to.contain('Member (rank 1)');
    expect(await privateWords(rank(guild.ownerId, 'show', { username: 'NobodyHasThis1' }))).to.contain('no account');
    expect(await privateWords(rank(guild.ownerId, 'show', {}))).to.contain('either a member or a Roblox username');
  });

  it('Roblox’s silence is told as it is, and the group is asked for where there are several', async () => {
    const person = await rankedMember(guild, 'Recruit');
    const other = roblox.addGroup({ name: 'Second' });
    await addGroup(guild.guild, systemActor('test'), other.id);
    (config().rankingGroups as Set<string>).add(other.id);
    const choice = await privateAnswer(rank(guild.ownerId, 'promote', { member: person.chatUserId }));
    const id = `rank-group:${person.gameUserId}:1`;
    const question = await privateAnswer(discord.select(guild.guildId, guild.ownerId, choice, id, [guild.groupId]));
    roblox.inject({ match: /:assignRole/, dropSocket: true, times: 1 });
    const told = await privateAnswer(press(guild.ownerId, question));
    expect(told.words).to.contain("hasn't said whether");
    config().rankingGroups.delete(other.id);
  });
});
