import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { buildRankingGuild, type RankingGuild, rankedMember, ranksOf } from '../features/ranking/ranking-setup.js';
import { asPerson } from '../support/api.js';
import { buildMember } from '../support/build.js';
import { world } from '../support/world.js';
import { buildGameGuild, type GameGuild, hasLua } from './game-setup.js';

/** The blocks of docs/games.md in one language, in order. */
async function blocksOf(language: string): Promise<string[]> {
  const text = await readFile(new URL('../../../docs/games.md', import.meta.url), 'utf8');
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) => block);
}

describe('The guide for games', () => {
  let guild: GameGuild & RankingGuild;

  before(async function () {
    if (!(await hasLua())) return this.skip();
    guild = (await buildGameGuild(await buildRankingGuild())) as GameGuild & RankingGuild;
  });
  beforeEach(() => guild.useKey());

  /** The scripts of the guide as an integrator fills them in. */
  async function scriptsFor(more = ''): Promise<string> {
    const [begin = '', ...others] = await blocksOf('lua');
    const filled = begin
      .replace('https://rolelink.example', (await world()).url)
      .replace('<server id>', guild.guildId)
      .replace('secret = "rolelink",', `secret = "rolelink", ${more}`);
    return [filled, ...others].join('\n').replaceAll('<role id>', guild.roleIds.Private);
  }

  // GAME-11, GAME-12, AUTH-65
  it('The scripts of the guide set attributes, redeem a code and report a level, by a token of the role game', async () => {
    const [linked, other] = [await buildMember(guild), await buildMember(guild, { linked: false })];
    const wish = { guildId: guild.guildId, method: 'game_code' };
    const { phrase } = (await (await asPerson(other)).post('/api/verification/session', wish)).body;
    const game = await guild.play(`${await scriptsFor()}
      local p1, p2 = join("${linked.gameUserId}"), join("${other.gameUserId}")
      await(5, function() return p1:GetAttribute("Verified") ~= nil and p2:GetAttribute("Verified") ~= nil end)
      ask("tell", { p1:GetAttribute("Verified"), p1:GetAttribute("Ranger"), p2:GetAttribute("Verified") })
      ask("tell", invoke("RedeemCode", p2, "${phrase}"))
      ask("tell", invoke("RedeemCode", p2, "BCDFGH"))
      levelChanged(p1, 12)
      task.wait(7)`);
    expect(game.told).to.deep.equal([
      [true, false, false],
      'Now confirm it: press "I\'ve typed it" where you got the code.',
      'This code is not valid. Get a new one and try again.',
    ]);
    expect(game.warnings).to.deep.equal([]);
    const [facts] = game.requests.filter(({ path }) => path.endsWith('/facts'));
    expect([facts?.status, facts?.body]).to.deep.equal([
      200,
      { people: [{ gameUserId: linked.gameUserId, facts: { level: 12 } }] },
    ]);
  });

  // RANKING-21, RANKING-22
  it('The training place of the guide promotes once, by the token of its body', async () => {
    const { gameUserId } = await rankedMember(guild, 'Recruit');
    const [body = ''] = await blocksOf('json');
    const made = await guild.owner.post(`${guild.path}/tokens`, JSON.parse(body.replace('<group id>', guild.groupId)));
    expect(made.status).to.equal(201);
    const more = `groupId = "${guild.groupId}", rankSecret = "rolelink-ranks",`;
    const game = await guild.play(
      `${await scriptsFor(more)}
      local p1 = join("${gameUserId}")
      passed(p1)
      ask("tell")
      passed(p1)`,
      { secrets: { 'rolelink-ranks': made.body.token } },
    );
    expect(await ranksOf(guild, { gameUserId })).to.deep.equal([6]);
    expect(game.warnings.length).to.equal(1);
    expect(game.warnings[0]).to.match(/^Not promoted: ./);
  });

  it('The guide asks for no more than ten lines in the first script', async () => {
    const [begin = ''] = await blocksOf('lua');
    expect(begin.split('\n').filter((line) => line.trim() !== '').length).to.be.at.most(10);
  });
});
