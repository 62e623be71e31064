import { expect } from 'chai';
import { Members } from '../../src/features/members/member-model.js';
import { buildGroupGuild, buildSettledMember, mapTo, rolesOf, setSettings } from '../features/sync/sync-setup.js';
import { runPendingSyncs } from '../support/background.js';
import { buildMember, eventually } from '../support/build.js';
import { world } from '../support/world.js';
import type { GameAnswer, GameRequest, MadeRequest } from './game-server.js';
import { buildGameGuild, type GameGuild, hasLua, joining } from './game-setup.js';

type Person = { gameUserId: string; facts: Record<string, unknown> };
const peopleIn = ({ body }: { body: unknown }): Person[] => (body as { people: Person[] }).people;

/** The facts that were sent: each request's people. */
const sentFacts = ({ requests }: { requests: GameRequest[] }): Person[][] =>
  requests.filter(({ path }) => path.endsWith('/facts')).map(peopleIn);

const stored = (request: { body: unknown }): GameAnswer => ({
  status: 200,
  body: { data: peopleIn(request).map(({ gameUserId }) => ({ gameUserId, status: 'stored' })) },
});

describe('Facts by the module for games', () => {
  let guild: GameGuild;

  before(async function () {
    if (!(await hasLua())) return this.skip();
    guild = await buildGameGuild();
  });

  const play = (scenario: string, answer: (request: MadeRequest) => GameAnswer = stored) =>
    guild.play(`local rolelink = start()\n${scenario}`, {
      meddle: (request) => (request.path.endsWith('/facts') ? answer(request) : undefined),
    });

  // GAME-14
  it('Facts of five seconds go out together, the newest of each name, and unchanged ones are not sent again', async () => {
    const game = await play(`${joining('7001', '7002')}
      ask("tell", { rolelink:ReportFacts(p1, { level = 11, owns_pass = true }) })
      rolelink:ReportFacts(p1, { level = 12, rank = "Captain \\"Ada\\" ⚓" })
      rolelink:ReportFacts(p2, { level = 0.5, old = Rolelink.REMOVE })
      task.wait(7)
      for _ = 1, 60 do
        rolelink:ReportFacts(p1, { level = 12 })
        rolelink:ReportFacts(p2, { old = Rolelink.REMOVE })
        task.wait(1)
      end
      rolelink:ReportFacts(p1, { level = 13 })
      task.wait(7)`);
    const [first = [], second, ...more] = sentFacts(game);
    expect(first).to.have.deep.members([
      { gameUserId: '7001', facts: { level: 12, owns_pass: true, rank: 'Captain "Ada" ⚓' } },
      { gameUserId: '7002', facts: { level: 0.5, old: null } },
    ]);
    expect(second).to.deep.equal([{ gameUserId: '7001', facts: { level: 13 } }]);
    expect(more).to.deep.equal([]);
    expect(game.told).to.deep.equal([[true]]);
  });

  // GAME-14
  it('A fact that is false is sent as false, and once', async () => {
    const game = await play(`${joining('7011', '7012')}
      rolelink:ReportFacts(p1, { owns_pass = false })
      rolelink:ReportFacts(p2, { level = 1, owns_pass = false })
      task.wait(60)`);
    const [first = [], ...more] = sentFacts(game);
    expect(first).to.have.deep.members([
      { gameUserId: '7011', facts: { owns_pass: false } },
      { gameUserId: '7012', facts: { level: 1, owns_pass: false } },
    ]);
    expect(more).to.deep.equal([]);
  });

  // GAME-14
  it('150 players’ facts go out in two requests', async () => {
    const game = await play(`for id = 1, 150 do rolelink:ReportFacts(join(600000 + id), { level = id }) end
      task.wait(10)`);
    expect(sentFacts(game).map((people) => people.length)).to.deep.equal([100, 50]);
  });

  // GAME-14
  it('No request has more than 20 facts of a player, or more bytes than the service takes', async () => {
    const game = await play(`${joining('7010')}
      for _, value in ipairs({ 1, Rolelink.REMOVE }) do
        local facts = {}
        for index = 1, 20 do facts["fact_" .. index .. "_" .. type(value)] = value end
        ask("tell", { rolelink:ReportFacts(p1, facts) })
      end
      for id = 1, 80 do
        local facts = {}
        for index = 1, 20 do facts["a_long_name_of_a_fact_" .. index] = string.rep("x", 64) end
        rolelink:ReportFacts(join(510000 + id), facts)
      end
      task.wait(90)`);
    expect(game.told).to.deep.equal([[true], [true]]);
    const counts = sentFacts(game).flatMap((people) => people.map(({ facts }) => Object.keys(facts).length));
    expect([counts.length, new Set(counts)]).to.deep.equal([82, new Set([20])]);
    for (const people of sentFacts(game)) expect(JSON.stringify({ people }).length).to.be.below(64 * 1024);
  });

  // GAME-14
  it('A player with 20 facts gets 20 others in their place: the removals go out first', async () => {
    const { gameUserId, chatUserId } = await buildMember(guild);
    const game = await guild.play(`local rolelink = start()
      ${joining(gameUserId)}
      local facts = {}
      for index = 1, 20 do facts["season_1_" .. index] = index end
      ask("tell", { rolelink:ReportFacts(p1, facts) })
      task.wait(20)
      for index = 1, 20 do
        facts["season_1_" .. index] = Rolelink.REMOVE
        facts["season_2_" .. index] = index
      end
      ask("tell", { rolelink:ReportFacts(p1, facts) })
      task.wait(60)`);
    expect(game.told).to.deep.equal([[true], [true]]);
    const removals = sentFacts(game).map(([one]) => Object.values(one?.facts ?? {}).filter((value) => value === null));
    expect(removals.map(({ length }) => length)).to.deep.equal([0, 20, 0]);
    const member = await Members.findOne({ guildId: guild.guildId, chatUserId });
    const newer = Array.from({ length: 20 }, (_, n) => `season_2_${n + 1}`);
    expect(member?.facts?.values.map(({ key }) => key)).to.have.members(newer);
  });

  // GAME-3
  it('A wrong fact is refused with its reason, and nothing of it is sent', async () => {
    const game = await play(`${joining('7003')}
      for _, facts in ipairs({ { Level = 1 }, { [string.rep("a", 33)] = 1 }, { level = 0 / 0 }, { level = math.huge },
        { level = {} }, { __proto__ = 1 }, { level = 2 ^ 53 }, { text = string.rep("x", 65) }, { text = "a\\nb" }, { text = "\\xff" } }) do
        local ok, problem = rolelink:ReportFacts(p1, facts)
        ask("tell", { ok, type(problem) })
      end
      local many = {}
      for index = 1, 21 do many["fact_" .. index] = index end
      ask("tell", { rolelink:ReportFacts(p1, many) })
      ask("tell", { rolelink:ReportFacts(nil, { level = 1 }) })
      ask("tell", { rolelink:ReportFacts(p1, nil) })
      task.wait(10)`);
    expect(game.told.length).to.equal(13);
    for (const told of game.told) expect((told as unknown[])[0]).to.equal(false);
    expect(sentFacts(game)).to.deep.equal([]);
  });

  // GAME-15
  it('A new link gets all facts that the game has reported of the player', async () => {
    const member = { memberId: '1', status: 'linked', roleIds: [], linkedAt: '2026-01-01T00:00:00Z' };
    let isLinked = false;
    const game = await guild.play(
      `local rolelink = start()
      ${joining('7004')}
      rolelink:GetMemberAsync(p1)
      rolelink:ReportFacts(p1, { level = 3 })
      task.wait(7)
      ask("link")
      publish(topic, '{"v":1,"gameUserIds":["7004"]}')
      task.wait(20)`,
      {
        acts: {
          link: () => {
            isLinked = true;
          },
        },
        meddle: (request) =>
          request.path.endsWith('/facts')
            ? stored(request)
            : { status: 200, body: { data: [{ id: '7004', member: isLinked ? member : null }] } },
      },
    );
    const once = [{ gameUserId: '7004', facts: { level: 3 } }];
    expect(sentFacts(game)).to.deep.equal([once, once]);
  });

  // GAME-16
  it('Facts without an answer are sent again as they are by then, after the pause that the answer asks for', async () => {
    const answers: GameAnswer[] = ['no answer', { status: 429, headers: { 'retry-after': '20' }, body: {} }];
    const game = await play(
      `${joining('7005')}
      rolelink:ReportFacts(p1, { level = 1, wins = 2 })
      task.wait(6)
      rolelink:ReportFacts(p1, { level = 2 })
      task.wait(60)`,
      (request) => answers.shift() ?? stored(request),
    );
    const [first, , last, ...more] = sentFacts(game);
    expect(first).to.deep.equal([{ gameUserId: '7005', facts: { level: 1, wins: 2 } }]);
    expect(last).to.deep.equal([{ gameUserId: '7005', facts: { level: 2, wins: 2 } }]);
    expect(more).to.deep.equal([]);
    const times = game.requests.filter(({ path }) => path.endsWith('/facts')).map(({ at }) => at);
    expect((times[2] ?? 0) - (times[1] ?? 0)).to.be.within(20, 22);
  });

  // GAME-15, GAME-16
  it('Facts reach a link that is older than the first answer, and are sent again while others report', async () => {
    const member = { memberId: '1', status: 'linked', roleIds: [], linkedAt: '2026-01-01T00:00:00Z' };
    const answers: GameAnswer[] = [{ status: 409, body: { code: 'busy', detail: 'Try again.' } }];
    let isAway = true;
    const game = await guild.play(
      `local rolelink = start()
      ${joining('7013')}
      rolelink:ReportFacts(p1, { level = 3 })
      task.wait(20)
      ask("back")
      task.wait(90)`,
      {
        acts: {
          back: () => {
            isAway = false;
          },
        },
        meddle: (request) => {
          if (request.path.endsWith('/facts')) return answers.shift() ?? stored(request);
          // Not the service's own words.
          if (isAway) return { status: 502, body: { detail: { text: 'Bad gateway' } } };
          return { status: 200, body: { data: [{ id: '7013', member }] } };
        },
      },
    );
    const once = [{ gameUserId: '7013', facts: { level: 3 } }];
    expect(sentFacts(game)).to.deep.equal([once, once, once]);
  });

  // GAME-16
  it('One person’s refused facts keep nobody else’s back', async () => {
    const game = await play(
      `for id = 1, 40 do rolelink:ReportFacts(join(500000 + id), { level = id }) end
      task.wait(60)`,
      (request) =>
        peopleIn(request).some(({ gameUserId }) => gameUserId === '500033')
          ? { status: 400, body: { code: 'invalid_request', detail: 'Not valid.' } }
          : stored(request),
    );
    const taken = game.requests
      .filter(({ path, status }) => path.endsWith('/facts') && status === 200)
      .flatMap(peopleIn);
    expect(taken.length).to.equal(39);
    expect(sentFacts(game).length).to.be.below(16);
  });

  // GAME-16
  it('Facts of players still there wait for another token, and are sent with it', async () => {
    let isReplaced = false;
    const game = await guild.play(
      `local rolelink = start()
      ${joining('7015', '7016')}
      rolelink:ReportFacts(p1, { level = 12 })
      rolelink:ReportFacts(p2, { level = 1 })
      task.wait(7)
      rolelink:ReportFacts(p1, { wins = 1 })
      leave(p2)
      task.wait(70)
      ask("replace")
      task.wait(70)
      rolelink:ReportFacts(p1, { level = 12 })
      task.wait(20)`,
      {
        acts: {
          replace: () => {
            isReplaced = true;
          },
        },
        meddle: (request) => {
          if (!request.path.endsWith('/facts')) return undefined;
          return isReplaced ? stored(request) : { status: 401, body: { code: 'unauthorized', detail: 'No token.' } };
        },
      },
    );
    const byId = (people: Person[]) => people.toSorted((a, b) => Number(a.gameUserId) - Number(b.gameUserId));
    expect(sentFacts(game).slice(1).map(byId)).to.deep.equal([
      [
        { gameUserId: '7015', facts: { level: 12, wins: 1 } },
        { gameUserId: '7016', facts: { level: 1 } },
      ],
      [{ gameUserId: '7015', facts: { level: 12, wins: 1 } }],
    ]);
  });

  // GAME-18
  it('A destroyed client sends its waiting facts, and takes no more', async () => {
    const answers: GameAnswer[] = [{ status: 503, headers: { 'Retry-After': '60' }, body: {} }];
    const game = await play(
      `${joining('7017')}
      rolelink:ReportFacts(p1, { level = 12 })
      rolelink:Destroy()
      ask("tell", { rolelink:ReportFacts(p1, { level = 13 }) })
      rolelink:Destroy()
      local began = clock()
      ask("tell", { shutDown(), clock() - began < 10 })`,
      (request) => answers.shift() ?? stored(request),
    );
    const once = [{ gameUserId: '7017', facts: { level: 12 } }];
    expect(sentFacts(game)).to.deep.equal([once, once]);
    expect(game.told).to.deep.equal([
      [false, 'This client is destroyed.'],
      [true, true],
    ]);
  });

  // GAME-18
  it('A destroyed client gives up after 25 seconds', async () => {
    const game = await play(
      `${joining('7018')}
      rolelink:ReportFacts(p1, { level = 12 })
      rolelink:Destroy()
      task.wait(90)`,
      () => 'no answer',
    );
    const times = game.requests.filter(({ path }) => path.endsWith('/facts')).map(({ at }) => at);
    expect(times.length).to.be.greaterThan(3);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).to.be.below(27);
  });

  // GAME-17
  it('A server that ends waits for facts that are first reported while its players leave', async () => {
    const game = await play(`game:GetService("Players").PlayerRemoving:Connect(function(player)
        rolelink:ReportFacts(player, { minutes = 9 })
      end)
      ${joining('7014')}
      task.wait(3)
      local began = clock()
      ask("tell", { shutDown(), clock() - began < 5 })`);
    expect(game.told).to.deep.equal([[true, true]]);
    expect(sentFacts(game)).to.deep.equal([[{ gameUserId: '7014', facts: { minutes: 9 } }]]);
  });

  // GAME-17
  it('A game’s shutdown sends the last facts, also those reported while players leave', async () => {
    let refusals = 2;
    const game = await play(
      `game:GetService("Players").PlayerRemoving:Connect(function(player)
        rolelink:ReportFacts(player, { minutes = 9 })
      end)
      ${joining('7006', '7007')}
      task.wait(3)
      rolelink:ReportFacts(p1, { level = 4 })
      local began = clock()
      ask("tell", { shutDown(), clock() - began < 10 })`,
      (request) => (refusals-- > 0 ? { status: 503, headers: { 'Retry-After': '60' }, body: {} } : stored(request)),
    );
    expect(game.told).to.deep.equal([[true, true]]);
    expect(sentFacts(game).at(-1)).to.have.deep.members([
      { gameUserId: '7006', facts: { level: 4, minutes: 9 } },
      { gameUserId: '7007', facts: { minutes: 9 } },
    ]);
  });

  // FACT-1, FACT-4, GAME-14
  it('A reported level reaches the service, gives its role, and the game sees it by a real message', async () => {
    const { roblox } = await world();
    const group = await buildGroupGuild();
    const here = await buildGameGuild(group);
    const universeId = roblox.addUniverse().id;
    await setSettings(group, { universeIds: [universeId] });
    const [roleId = ''] = await mapTo(group, { type: 'fact', key: 'level', atLeast: 10 });
    const person = await buildSettledMember(group);
    const game = await here.play(
      `local rolelink = start()
      ${joining(person.gameUserId)}
      rolelink:GetMemberAsync(p1)
      ask("tell", rolelink:HasRole(p1, "${roleId}"))
      rolelink:ReportFacts(p1, { level = 12 })
      rolelink:ReportFacts(join("424242"), { level = 12 })
      task.wait(6)
      publish(topic, ask("message"))
      ask("tell", await(2, function() return rolelink:HasRole(p1, "${roleId}") end) ~= nil)`,
      {
        acts: {
          async message() {
            const told: string[] = [];
            const end = roblox.subscribe(universeId, `rolelink-${here.guildId}`, (text) => told.push(text));
            await runPendingSyncs(here.guildId);
            await eventually(() => told.length > 0, 'the message');
            end();
            return told.at(-1);
          },
        },
      },
    );
    expect(game.told).to.deep.equal([false, true]);
    expect(game.requests.filter(({ path }) => path.endsWith('/facts')).map(({ status }) => status)).to.deep.equal([
      200,
    ]);
    expect(await rolesOf(group, person)).to.deep.equal([roleId]);
  });

  // GAME-17
  it('The shutdown of a game without a network ends before Roblox ends it', async () => {
    const game = await play(
      `${joining('7008')}
      rolelink:ReportFacts(p1, { level = 4 })
      ask("tell", { shutDown(), clock() < 29 })`,
      () => 'no answer',
    );
    expect(game.told).to.deep.equal([[true, true]]);
  });
});
