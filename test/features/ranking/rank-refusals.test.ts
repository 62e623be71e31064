import { expect } from 'chai';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { RankChanges } from '../../../src/features/ranking/rank-change-model.js';
import { type World, world } from '../../support/world.js';
import { buildRankingGuild, type RankingGuild, rankedMember, ranksOf } from './ranking-setup.js';

describe('Refusals of Roblox to change a rank', () => {
  let roblox: World['roblox'];
  let guild: RankingGuild;

  before(async () => {
    ({ roblox } = await world());
    guild = await buildRankingGuild();
  });
  beforeEach(() => guild.useKey());
  afterEach(() => roblox.clearFaults());

  const promote = ({ gameUserId }: { gameUserId: string }) =>
    guild.owner.post(guild.ranksPath, { gameUserId, step: 1 });

  /** Checks the reason in the list, and the unchanged rank. */
  async function expectUnmade({ gameUserId }: { gameUserId: string }, refusal: string): Promise<void> {
    const changes = await RankChanges.find({ guildId: guild.guildId, gameUserId });
    expect(changes.map((change) => [change.state, change.refusal])).to.deep.equal([['refused', refusal]]);
    expect(await AuditLog.find({ guildId: guild.guildId, action: 'member.ranked' })).to.deep.equal([]);
    expect(await ranksOf(guild, { gameUserId })).to.deep.equal([5]);
  }

  for (const [status, refusal, words] of [
    [401, 'key', /Roblox refuses the API key of this bot\. Tell whoever runs the bot\./],
    [403, 'permission', /may not change this rank on Roblox\. Tell whoever runs the bot\./],
    [409, 'role_full', /takes nobody more into this rank now\. Try again in a moment\./],
    [404, 'role_unknown', /no such rank in this group any more/],
  ] as const) {
    // RANKING-17
    it(`Roblox’s refusal of a rank by ${status} is told in words, and nothing is changed`, async () => {
      const person = await rankedMember(guild, 'Recruit');
      roblox.inject({ match: /:assignRole/, status, times: 1 });
      const { status: answered, body } = await promote(person);
      expect([answered, body.code], JSON.stringify(body)).to.deep.equal([409, 'roblox_refused']);
      expect(body.detail).to.match(words);
      await expectUnmade(person, refusal);
    });
  }

  // RANKING-17
  it('A change of the rank of a gone account names it as gone', async () => {
    const person = await rankedMember(guild, 'Recruit');
    const { reached, letGo } = roblox.hold({ match: /:assignRole/ });
    const answer = promote(person);
    await reached;
    roblox.setBanned(person.gameUserId, true);
    letGo();
    const { body } = await answer;
    expect([body.code, body.detail]).to.deep.equal(['roblox_refused', 'This Roblox account is deleted or banned.']);
    const [change] = await RankChanges.find({ guildId: guild.guildId, gameUserId: person.gameUserId });
    expect([change?.state, change?.refusal]).to.deep.equal(['refused', 'account_gone']);
  });

  // RANKING-17
  it('Roblox’s limit on changes of ranks is a 429 that says when to try again', async () => {
    const person = await rankedMember(guild, 'Recruit');
    roblox.inject({ match: /:assignRole/, status: 429, retryAfter: 1, times: 1 });
    const { status, headers, body } = await promote(person);
    expect([status, body.code]).to.deep.equal([429, 'rate_limited']);
    expect(Number(headers.get('retry-after'))).to.be.within(1, 120);
    await expectUnmade(person, 'rate_limited');
  });

  // RANKING-10
  it('A change of a rank assigns the new role before it unassigns the old one, each by one call', async () => {
    const person = await rankedMember(guild, 'Recruit');
    const from = roblox.requests.length;
    expect((await promote(person)).body.state).to.equal('done');
    const writes = roblox.requests
      .slice(from)
      .filter(({ method, path }) => method === 'POST' && path.includes('/memberships/'));
    expect(writes.map(({ path }) => path.split(':').at(-1))).to.deep.equal(['assignRole', 'unassignRole']);
  });
});
