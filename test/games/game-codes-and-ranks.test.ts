import { expect } from 'chai';
import { buildRankingGuild, type RankingGuild, rankedMember, ranksOf } from '../features/ranking/ranking-setup.js';
import { asPerson } from '../support/api.js';
import { buildMember } from '../support/build.js';
import { buildGameGuild, type GameGuild, hasLua, joining } from './game-setup.js';

describe('Codes and ranks by the module for games', () => {
  let guild: GameGuild & RankingGuild;

  before(async function () {
    if (!(await hasLua())) return this.skip();
    guild = (await buildGameGuild(await buildRankingGuild())) as GameGuild & RankingGuild;
  });
  beforeEach(() => guild.useKey());

  async function codeOf(person: { chatUserId: string; username: string }): Promise<string> {
    const wish = { guildId: guild.guildId, method: 'game_code' };
    return (await (await asPerson(person)).post('/api/verification/session', wish)).body.phrase;
  }

  async function rankToken(): Promise<string> {
    const ranking = { groupIds: [guild.groupId], lowestRank: 5, highestRank: 6, perHour: 60 };
    const made = await guild.owner.post(`${guild.path}/tokens`, { name: 'Training', role: 'ranker', ranking });
    expect(made.status).to.equal(201);
    return made.body.token;
  }

  // GAME-12, VER-25
  it('The module for games redeems a player’s code, no wrong one, and sends no fourth try in a minute', async () => {
    const person = await buildMember(guild, { linked: false });
    const game = await guild.play(
      `local rolelink = start()
      ${joining(person.gameUserId)}
      for _, code in ipairs({ "BCDFGH", "${await codeOf(person)}", "B C D", "BCDFGH" }) do
        local ok, text = rolelink:RedeemCodeAsync(p1, code)
        ask("tell", { ok, text })
      end
      ask("tell", { rolelink:RedeemCodeAsync(p1, 5) })
      ask("tell", { rolelink:RedeemCodeAsync(p1, string.rep("x", 21)) })
      task.wait(60)
      ask("tell", { rolelink:RedeemCodeAsync(p1, "BCDFGH") })`,
    );
    const [wrong, taken, third, fourth, ...rest] = game.told as [boolean, string][];
    const notValid = [false, 'This code is not valid. Get a new one and try again.'];
    expect(taken).to.deep.equal([true, 'Now confirm it: press "I\'ve typed it" where you got the code.']);
    expect([wrong, third, ...rest]).to.deep.equal([notValid, notValid, notValid, notValid, notValid]);
    expect(fourth).to.deep.equal([false, 'Too many tries. Wait a minute.']);
    expect(game.requests.filter(({ path }) => path.endsWith('/redeem')).length).to.equal(4);
  });

  // GAME-13, VER-28
  it('The module for games sends a code again after a lost answer, and it counts once', async () => {
    const person = await buildMember(guild, { linked: false });
    let lost = 2;
    const game = await guild.play(
      `local rolelink = start()
      ${joining(person.gameUserId)}
      ask("tell", { (rolelink:RedeemCodeAsync(p1, "${await codeOf(person)}")) })`,
      { meddle: ({ path }) => (path.endsWith('/redeem') && lost-- > 0 ? 'no answer' : undefined) },
    );
    expect(game.told).to.deep.equal([[true]]);
  });

  // GAME-13, RANKING-22
  it('The module for games changes a rank by the ranker’s token, once also after a lost answer, and then shows it', async () => {
    const { gameUserId } = await rankedMember(guild, 'Recruit');
    let lost = true;
    const config = `groupId = "${guild.groupId}", rankSecret = "rolelink-ranks"`;
    const game = await guild.play(
      `local rolelink = start()
      ${joining(gameUserId)}
      rolelink:GetMemberAsync(p1)
      local ok, problem, code = rolelink:SetRankAsync(p1, "${guild.roleIds.Private}", "Passed the training")
      ask("tell", { ok, problem == nil })
      task.wait(6)
      ok, problem, code = rolelink:SetRankAsync(p1, "${guild.roleIds.Private}")
      ask("tell", { ok, code, type(problem) })
      ok, problem, code = rolelink:SetRankAsync(p1, "${guild.roleIds.Officer}")
      ask("tell", { ok, code })`,
      {
        config,
        secrets: { 'rolelink-ranks': await rankToken() },
        meddle: ({ path }) => {
          if (!path.endsWith('/ranks') || !lost) return undefined;
          lost = false;
          return { status: 502, body: '<html>' };
        },
      },
    );
    expect(game.told).to.deep.equal([
      [true, true],
      [false, 'rank_unchanged', 'string'],
      [false, 'rank_above_limit'],
    ]);
    expect(await ranksOf(guild, { gameUserId })).to.deep.equal([6]);
    const ranks = game.requests.filter(({ path }) => path.endsWith('/ranks'));
    const [first, second, third] = ranks.map(({ headers }) => headers['Idempotency-Key']);
    expect([first === second, second === third]).to.deep.equal([true, false]);
    const paths = game.requests.map(({ path }) => path.split('/').at(-1));
    expect(paths).to.deep.equal(['lookup', 'ranks', 'ranks', 'lookup', 'ranks', 'ranks']);
  });

  it('Without the group and the secret of a ranker, SetRankAsync says so; a game’s token can’t rank', async () => {
    const { gameUserId } = await rankedMember(guild, 'Recruit');
    const scenario = `local rolelink = start()
      ${joining(gameUserId)}
      local ok, problem, code = rolelink:SetRankAsync(p1, "${guild.roleIds.Private}")
      ask("tell", { ok, problem, code })`;
    const without = await guild.play(scenario);
    expect(without.told).to.deep.equal([
      [false, 'It takes a player of the game, and `groupId` and `rankSecret` in the config.'],
    ]);
    const config = `groupId = "${guild.groupId}", rankSecret = "rolelink"`;
    const game = await guild.play(scenario, { config });
    expect((game.told[0] as unknown[])[2]).to.equal('forbidden');
    expect(await ranksOf(guild, { gameUserId })).to.deep.equal([5]);
  });
});
