import { expect } from 'chai';
import { chatUser } from '../../../src/core/actors/actor.js';
import { joinRequestsOnPage } from '../../../src/features/ranking/join-requests.js';
import { RankChanges } from '../../../src/features/ranking/rank-change-model.js';
import { settleRankChanges } from '../../../src/features/ranking/rank-settling.js';
import { buildPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildRankingGuild, type RankingGuild } from './ranking-setup.js';

const emptyPages = { match: /GET .*\/join-requests/, corrupt: 'empty_page' } as const;

// Roblox may answer a page with fewer requests than asked for, or with none, and name a next one.
describe('A request to join behind an empty page of Roblox', () => {
  let roblox: World['roblox'];
  let guild: RankingGuild;

  before(async () => {
    ({ roblox } = await world());
    guild = await buildRankingGuild();
  });
  beforeEach(() => guild.useKey());
  afterEach(() => roblox.clearFaults());

  const asking = async (): Promise<string> => {
    const { gameUserId } = await buildPerson();
    roblox.requestToJoin(guild.groupId, gameUserId);
    return gameUserId;
  };
  const answer = async (decision: string, gameUserId: string) =>
    (await guild.owner.post(guild.requestsPath, { decision, gameUserIds: [gameUserId] })).body.results[0].result;
  const firstPage = () => joinRequestsOnPage(guild.guild, chatUser(guild.ownerId, 'owner', 'owner'), guild.groupId, 1);

  // RANKING-27
  it('A request to join on Roblox’s second page is accepted', async () => {
    const gameUserId = await asking();
    roblox.inject({ ...emptyPages, times: 1 });
    expect(await answer('accept', gameUserId)).to.equal('accepted');
  });

  // RANKING-16, RANKING-27
  it('A lost decline of a request to join on Roblox’s second page was not made', async () => {
    const gameUserId = await asking();
    roblox.inject({ match: /:decline/, dropSocket: true, when: 'before' });
    expect(await answer('decline', gameUserId)).to.equal('unknown');
    roblox.clearFaults();
    roblox.inject({ ...emptyPages, times: 1 });
    await RankChanges.acrossGuilds.updateMany({ gameUserId }, { $set: { dueAt: new Date(0) } });
    await settleRankChanges(new AbortController().signal);
    const change = await RankChanges.findOne({ guildId: guild.guildId, gameUserId });
    expect([change?.state, change?.refusal]).to.deep.equal(['refused', 'not_made']);
  });

  // RANKING-25
  it('The list of requests to join in Discord goes on behind an empty page, and ends where none has any', async () => {
    const gameUserId = await asking();
    roblox.inject({ ...emptyPages, times: 1 });
    expect((await firstPage()).people.map((person) => person.gameUserId)).to.include(gameUserId);
    roblox.inject(emptyPages);
    const before = roblox.requests.length;
    const error = await firstPage().catch((reason: Error) => reason);
    expect(error).to.have.property('code', 'game_platform_unavailable');
    expect(await answer('accept', gameUserId)).to.equal('refused');
    expect(roblox.requests.length - before).to.be.below(50);
  });
});
