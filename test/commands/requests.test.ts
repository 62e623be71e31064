import { expect } from 'chai';
import { config } from '../../src/config/config.js';
import { systemActor } from '../../src/core/actors/actor.js';
import { AuditLog } from '../../src/core/audit/audit-model.js';
import { addGroup } from '../../src/core/groups/group-service.js';
import { RankChanges } from '../../src/features/ranking/rank-change-model.js';
import {
  buildRankingGuild,
  type RankingGuild,
  rankedMember,
  ranksOf,
  teammate,
} from '../features/ranking/ranking-setup.js';
import { withoutNicknames } from '../features/sync/sync-setup.js';
import { buildMember, buildPerson } from '../support/build.js';
import { onceShown } from '../support/events.js';
import { type World, world } from '../support/world.js';
import { followUpWords, labelsOf, privateAnswer, privateWords } from './private-answer.js';

// DISC-61 to DISC-64
describe('/requests', () => {
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

  async function asking(linked = false) {
    const person = linked ? await buildMember(guild) : await buildPerson();
    roblox.requestToJoin(guild.groupId, person.gameUserId);
    return person;
  }
  const requests = (by: string, act: string, options: Record<string, string> = {}) =>
    discord.command(guild.guildId, by, `requests ${act}`, options);
  const press = (by: string, message: Parameters<typeof discord.press>[2], label: string) =>
    discord.press(guild.guildId, by, message, label);
  const choose = (message: Parameters<typeof discord.select>[2], ids: string[]) =>
    discord.select(guild.guildId, guild.ownerId, message, `requests-choose:${guild.groupId}`, ids);

  // DISC-61, DISC-62
  it('/requests list shows the people asking, and chosen requests before the answer', async () => {
    expect(await privateWords(requests(guild.ownerId, 'list'))).to.contain('Nobody is asking to join');
    const member = await asking(true);
    const strangers = [await asking(), await asking()];
    const shown = await privateAnswer(requests(guild.ownerId, 'list'));
    expect(shown.words).to.contain(`<@${member.chatUserId}>`).and.contain('account made <t:');
    for (const { gameUsername } of strangers) expect(shown.words).to.contain(gameUsername);
    const question = await privateAnswer(
      choose(
        shown,
        [member, ...strangers.slice(0, 1)].map((one) => one.gameUserId),
      ),
    );
    expect(labelsOf(question)).to.deep.equal(['Accept', 'Decline', 'Show the list']);
    expect(question.words).to.contain('Nothing changes before your answer').and.not.contain(strangers[1]?.gameUsername);
    expect(await ranksOf(guild, member), 'not before the press').to.deep.equal([]);
    const done = await privateAnswer(press(guild.ownerId, question, 'Accept'));
    expect(done.words).to.contain(member.gameUsername).and.contain('now.');
    expect(await ranksOf(guild, member)).to.deep.equal([1]);
    const again = await discord.pressAsShown(guild.guildId, guild.ownerId, question, 'Accept');
    expect((await privateAnswer(again)).words).to.contain("isn't asking to join");
    const rest = await privateAnswer(press(guild.ownerId, done, 'Show the list'));
    expect(rest.words).to.contain(strangers[1]?.gameUsername).and.not.contain(member.gameUsername);
    const other = await privateAnswer(choose(rest, [strangers[1]?.gameUserId ?? '']));
    expect((await privateAnswer(press(guild.ownerId, other, 'Decline'))).words).to.contain('is declined');
  });

  // DISC-63
  it('/requests accept and decline show the request of one account, and keep the reason', async () => {
    const [first, second] = [await asking(true), await asking()];
    const options = { account: first.gameUsername, reason: 'Passed the interview' };
    const question = await privateAnswer(requests(guild.ownerId, 'accept', options));
    expect(labelsOf(question)).to.deep.equal(['Accept', 'Show the list']);
    await privateAnswer(press(guild.ownerId, question, 'Accept'));
    const [change] = await RankChanges.find({ guildId: guild.guildId, gameUserId: first.gameUserId });
    expect([change?.door, change?.reason, change?.state]).to.deep.equal(['discord', 'Passed the interview', 'done']);
    const [entry] = await AuditLog.find(
      { guildId: guild.guildId, action: 'join_request.accepted' },
      { sort: { _id: -1 } },
    );
    expect(entry?.changes).to.deep.include({ door: { from: null, to: 'discord' } });
    const declined = await privateAnswer(requests(guild.ownerId, 'decline', { account: second.gameUsername }));
    await privateAnswer(press(guild.ownerId, declined, 'Decline'));
    expect(await ranksOf(guild, second)).to.deep.equal([]);
    const gone = await privateWords(requests(guild.ownerId, 'decline', { account: second.gameUsername }));
    expect(gone).to.contain("isn't asking to join");
    expect(await privateWords(requests(guild.ownerId, 'accept', { account: 'NobodyHasThis1' }))).to.contain(
      'no account',
    );
  });

  // DISC-61
  it('/requests list turns pages forth and back, and shows the last one of a list become shorter', async () => {
    const people = await Promise.all(numbers(0, 23).map(() => asking()));
    const names = (page: { words: string }) =>
      people.filter(({ gameUsername }) => page.words.includes(gameUsername)).map((one) => people.indexOf(one));
    const first = await privateAnswer(requests(guild.ownerId, 'list'));
    expect([names(first), labelsOf(first)]).to.deep.equal([numbers(0, 10), ['Next page']]);
    const second = await privateAnswer(press(guild.ownerId, first, 'Next page'));
    expect([names(second), labelsOf(second)]).to.deep.equal([numbers(10, 20), ['Previous page', 'Next page']]);
    const third = await privateAnswer(press(guild.ownerId, second, 'Next page'));
    expect([names(third), labelsOf(third)]).to.deep.equal([numbers(20, 23), ['Previous page']]);
    const question = await privateAnswer(choose(third, [people[22]?.gameUserId ?? '']));
    expect(question.words, 'chosen on a later page').to.contain(people[22]?.gameUsername);
    for (const { gameUserId } of people.slice(12)) roblox.withdrawRequest(guild.groupId, gameUserId);
    const shorter = await privateAnswer(discord.pressAsShown(guild.guildId, guild.ownerId, second, 'Next page'));
    expect([names(shorter), labelsOf(shorter)]).to.deep.equal([numbers(10, 12), ['Previous page']]);
    const back = await privateAnswer(press(guild.ownerId, shorter, 'Previous page'));
    expect([names(back), labelsOf(back)]).to.deep.equal([numbers(0, 10), ['Next page']]);
    for (const { gameUserId } of people) roblox.withdrawRequest(guild.groupId, gameUserId);
  });

  // DISC-64
  it('Each person without the right is refused in words, and a right lost meanwhile changes nothing', async () => {
    const person = await asking();
    const manager = await rankedMember(guild, 'Officer');
    const unlinked = await buildMember(guild, { linked: false });
    await teammate(guild, manager, 'manager');
    await teammate(guild, unlinked, 'admin');
    for (const { chatUserId } of [await rankedMember(guild, 'Officer'), manager, unlinked]) {
      for (const act of ['list', 'accept', 'decline']) {
        const words = await privateWords(
          requests(chatUserId, act, act === 'list' ? {} : { account: person.gameUsername }),
        );
        expect(words).to.contain(chatUserId === unlinked.chatUserId ? 'Verify your Roblox' : "aren't allowed to rank");
      }
    }
    const ranker = await rankedMember(guild, 'Officer');
    await teammate(guild, ranker, 'admin');
    const question = await privateAnswer(requests(ranker.chatUserId, 'accept', { account: person.gameUsername }));
    roblox.setRank(guild.groupId, ranker.gameUserId, 1);
    const pressed = await press(ranker.chatUserId, question, 'Accept');
    await onceShown(() => pressed.followUps().length > 0, 'the refusal');
    expect(followUpWords(pressed)).to.contain('at or above their own');
    expect(await ranksOf(guild, person)).to.deep.equal([]);
    roblox.withdrawRequest(guild.groupId, person.gameUserId);
  });

  // DISC-64
  it('Roblox’s silence and refusals are told as they are, and the group is named where there are several', async () => {
    const person = await asking();
    const other = roblox.addGroup({ name: 'Second' });
    await addGroup(guild.guild, systemActor('test'), other.id);
    (config().rankingGroups as Set<string>).add(other.id);
    expect(await privateWords(requests(guild.ownerId, 'list')))
      .to.contain('several Roblox groups')
      .and.contain('Second');
    const options = { account: person.gameUsername, group: guild.groupId };
    for (const [fault, words] of [
      [{ status: 403 }, 'may not answer join requests'],
      [{ dropSocket: true }, "hasn't said whether"],
    ] as const) {
      const question = await privateAnswer(requests(guild.ownerId, 'accept', options));
      roblox.inject({ match: /:accept/, ...fault, times: 1 });
      expect((await privateAnswer(press(guild.ownerId, question, 'Accept'))).words).to.contain(words);
    }
    config().rankingGroups.delete(other.id);
  });
});

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);
