import { expect } from 'chai';
import { Members } from '../../src/features/members/member-model.js';
import { api } from '../support/api.js';
import { buildMember } from '../support/build.js';
import { buildGameGuild, type GameGuild, hasLua, idsOf, joining, lookUps } from './game-setup.js';

/** The mapped roles that a member held after their last sync. */
const setRoles = (guildId: string, chatUserId: string, roleIds: string[]) =>
  Members.update({ guildId, chatUserId }, { $set: { 'left.roleIds': roleIds, 'left.nickname': null } });

const refused = { status: 503, body: { code: 'database_unavailable', detail: 'Come back later.' } };

describe('The module for games', () => {
  let guild: GameGuild;

  before(async function () {
    if (!(await hasLua())) return this.skip();
    guild = await buildGameGuild();
  });

  // GAME-7
  it('150 players joining together are looked up by two requests, and read from memory afterwards', async () => {
    const people = [await buildMember(guild), await buildMember(guild), await buildMember(guild)];
    const others = Array.from({ length: 147 }, (_, index) => String(9_000_000_000 + index));
    const [linked] = people;
    const game = await guild.play(`
      local rolelink = start()
      local players = {}
      for _, id in ipairs({ ${[...people.map(({ gameUserId }) => gameUserId), ...others].join(', ')} }) do
        table.insert(players, join(id))
      end
      local began = clock()
      local member = rolelink:GetMemberAsync(players[1])
      ask("tell", { member.memberId, member.status, clock() - began < 2 })
      local isLinked, problem = rolelink:GetMemberAsync(players[150])
      ask("tell", { isLinked == nil, problem == nil })
      for _, player in ipairs(players) do
        rolelink:GetMemberAsync(player)
      end
    `);
    expect(game.told).to.deep.equal([
      [linked?.chatUserId, 'linked', true],
      [true, true],
    ]);
    expect(lookUps(game).map((request) => idsOf(request).length)).to.deep.equal([100, 50]);
    expect(game.requests.map(({ status }) => status)).to.deep.equal([200, 200]);
  });

  // GAME-8, GAME-11
  it('A pushed change looks up the named players alone, and the game sees the role within two seconds', async () => {
    const [one, two] = [await buildMember(guild), await buildMember(guild)];
    const role = '100000000000000111';
    const game = await guild.play(
      `local rolelink = start()
      rolelink:OnMemberChanged(function(player, member)
        player:SetAttribute("Answers", (player:GetAttribute("Answers") or 0) + 1)
        player:SetAttribute("Ranger", rolelink:HasRole(player, "${role}"))
      end)
      ${joining(one.gameUserId, two.gameUserId)}
      rolelink:GetMemberAsync(p1)
      await(5, function() return p1:GetAttribute("Answers") == 1 and p2:GetAttribute("Answers") == 1 end)
      ask("tell", { p1:GetAttribute("Ranger"), rolelink:HasRole(p1, "${role}") })
      ask("promote")
      publish(topic, '{"v":1,"gameUserIds":["${one.gameUserId}","424242"]}')
      local seconds = await(10, function() return p1:GetAttribute("Ranger") end)
      ask("tell", { seconds ~= nil and seconds < 2, p1:GetAttribute("Answers"), p2:GetAttribute("Answers") })
      publish(topic, "not JSON")
      publish(topic, '{"v":2,"everybody":true}')
      publish("rolelink-1", '{"v":1,"everybody":true}')
      task.wait(15)`,
      { acts: { promote: () => setRoles(guild.guildId, one.chatUserId, [role]).then(() => true) } },
    );
    expect(game.told).to.deep.equal([
      [false, false],
      [true, 2, 1],
    ]);
    const [first, ...later] = lookUps(game);
    expect(idsOf(first ?? { body: {} })).to.have.members([one.gameUserId, two.gameUserId]);
    expect(later.map(idsOf)).to.deep.equal([[one.gameUserId]]);
  });

  // GAME-8
  it('A push to look everybody up leads to one request for all players, spread over ten seconds', async () => {
    const people = [await buildMember(guild), await buildMember(guild)].map(({ gameUserId }) => gameUserId);
    const game = await guild.play(`
      local rolelink = start()
      ${joining(...people)}
      rolelink:GetMemberAsync(p1)
      publish(topic, '{"v":1,"everybody":true}')
      task.wait(14)
    `);
    expect(lookUps(game).map((request) => idsOf(request).sort())).to.deep.equal([people.sort(), people.sort()]);
  });

  // GAME-9
  it('The module for games finds a change without a push within two and a half minutes, also by a failed subscription', async () => {
    const { chatUserId, gameUserId } = await buildMember(guild);
    let failures = 2;
    const game = await guild.play(
      `local rolelink = start()
      ${joining(gameUserId)}
      rolelink:GetMemberAsync(p1)
      ask("promote")
      ask("tell", await(150, function() return rolelink:HasRole(p1, "7") end) ~= nil)`,
      {
        acts: {
          promote: () => setRoles(guild.guildId, chatUserId, ['7']).then(() => true),
          subscribe: () => failures-- <= 0,
        },
      },
    );
    expect(game.told).to.deep.equal([true]);
    expect(failures).to.equal(-1);
  });

  // GAME-6
  it('After a 429 the module waits as Retry-After says, and after a 500 for longer each time', async () => {
    const { gameUserId } = await buildMember(guild);
    const answers = [
      { status: 429, headers: { 'Retry-After': '7' }, body: { code: 'rate_limited', detail: 'Too many requests.' } },
      { status: 500, body: '<html>' },
      { status: 500, body: '<html>' },
      { status: 500, body: '<html>' },
    ];
    const game = await guild.play(
      `local rolelink = start()
      ${joining(gameUserId)}
      local member, problem = rolelink:GetMemberAsync(p1)
      ask("tell", { member == nil, problem })
      ask("tell", await(60, function() return rolelink:GetMemberAsync(p1) ~= nil end) ~= nil)`,
      { meddle: () => answers.shift() },
    );
    expect(game.told[1]).to.equal(true);
    const times = lookUps(game).map(({ at }) => at);
    const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(pauses[0]).to.be.within(7, 8.5);
    expect(pauses.length).to.equal(4);
    for (const [pause, least, most] of [
      [pauses[1], 1, 2.5],
      [pauses[2], 2, 4.5],
      [pauses[3], 4, 8.5],
    ] as const)
      expect(pause).to.be.within(least, most);
  });

  // GAME-6, API-32
  it('A real 429 of the service, for 600 reads in a minute, is waited for as its Retry-After says', async () => {
    const full = await buildGameGuild();
    const { gameUserId } = await buildMember(full);
    const use = api(full.token);
    const spend = () => use.post(`${full.path}/members/lookup`, { gameUserIds: ['1'] });
    for (let used = 0; used < 600; used += 50) await Promise.all(Array.from({ length: 50 }, spend));
    let first = true;
    const game = await full.play(
      `local rolelink = start()
      ${joining(gameUserId)}
      rolelink:OnMemberChanged(function(player) player:SetAttribute("Known", true) end)
      ask("tell", await(70, function() return p1:GetAttribute("Known") end) ~= nil)`,
      {
        // The service's limits go by real time, which the game does not wait for.
        meddle: () => {
          const isFirst = first;
          first = false;
          return isFirst ? undefined : { status: 200, body: { data: [{ id: gameUserId, member: null }] } };
        },
      },
    );
    expect(game.told).to.deep.equal([true]);
    const [limited, answered] = game.requests;
    expect([limited?.status, answered?.status]).to.deep.equal([429, 200]);
    const retryAfter = Number(limited?.answered['retry-after']);
    expect((answered?.at ?? 0) - (limited?.at ?? 0)).to.be.within(retryAfter, retryAfter + 1.5);
    expect(game.warnings.length).to.equal(1);
  });

  // GAME-3, GAME-10
  it('The module for games keeps the last answers while the network is down; a new player gets the problem', async () => {
    const [one, two] = [await buildMember(guild), await buildMember(guild)];
    let isDown = false;
    const game = await guild.play(
      `local rolelink = start()
      ${joining(one.gameUserId)}
      rolelink:GetMemberAsync(p1)
      ask("cut")
      local p2 = join("${two.gameUserId}")
      local began = clock()
      local member, problem = rolelink:GetMemberAsync(p2)
      ask("tell", { member == nil, string.find(problem, "ConnectFail") ~= nil, clock() - began <= 10.1 })
      local ok, text = rolelink:RedeemCodeAsync(p2, "BCDFGH")
      ask("tell", { ok, text })
      task.wait(600)
      ask("tell", rolelink:GetMemberAsync(p1).status)
      ask("mend")
      ask("tell", await(70, function() return rolelink:GetMemberAsync(p2) ~= nil end) ~= nil)`,
      {
        acts: {
          cut: () => {
            isDown = true;
          },
          mend: () => {
            isDown = false;
          },
        },
        meddle: () => (isDown ? 'no answer' : undefined),
      },
    );
    expect(game.told).to.deep.equal([
      [true, true, true],
      [false, 'That did not work. Try again later.'],
      'linked',
      true,
    ]);
    const failed = lookUps(game).filter(({ status }) => status === 'no answer').length;
    expect(failed, 'requests in ten minutes without a network').to.be.within(10, 25);
    expect(game.warnings.filter((text) => text.includes('ConnectFail')).length).to.equal(1);
  });

  // GAME-6
  it('The module for games tells a wrong token at once, and asks again only once a minute', async () => {
    const { gameUserId } = await buildMember(guild);
    const game = await guild.play(
      `local rolelink = start()
      ${joining(gameUserId)}
      local member, problem = rolelink:GetMemberAsync(p1)
      ask("tell", { member == nil, problem, clock() < 3 })
      task.wait(300)`,
      { secrets: { rolelink: 'rlk_wrong' } },
    );
    const [told] = game.told as [[boolean, string, boolean]];
    expect([told[0], told[2]]).to.deep.equal([true, true]);
    expect(told[1]).to.contain("This token isn't valid");
    expect(game.requests.length).to.be.within(4, 6);
  });

  // GAME-5, GAME-7
  it('100 players cost less than one request a minute, and a crowd coming and going stays far below 500', async () => {
    const calm = await guild.play(`
      local rolelink = start()
      for id = 1, 100 do join(8000000000 + id) end
      task.wait(600)
    `);
    expect(calm.requests.length, 'in ten minutes').to.be.at.most(6);
    const busy = await guild.play(
      `local rolelink = start()
      local players = {}
      for id = 1, 3000 do
        table.insert(players, join(8000000000 + id))
        if #players > 100 then leave(table.remove(players, 1)) end
        if id % 10 == 0 then publish(topic, '{"v":1,"gameUserIds":["' .. 8000000000 + id .. '"]}') end
        task.wait(0.2)
      end`,
      { meddle: ({ body }) => ({ status: 200, body: { data: idsOf({ body }).map((id) => ({ id, member: null })) } }) },
    );
    expect(busy.requests.length / 10, 'a minute').to.be.below(101);
  });

  it('A destroyed client asks nothing more, and answers its waiting callers', async () => {
    const { gameUserId } = await buildMember(guild);
    const game = await guild.play(
      `local rolelink = start()
      ${joining(gameUserId)}
      task.delay(0.5, function() rolelink:Destroy() end)
      local member, problem = rolelink:GetMemberAsync(p1)
      ask("tell", { member == nil, problem })
      publish(topic, '{"v":1,"everybody":true}')
      task.wait(300)`,
      { meddle: () => refused },
    );
    expect(game.told).to.deep.equal([[true, 'This client is destroyed.']]);
    expect(game.requests).to.deep.equal([]);
  });

  // GAME-3
  it('The module for games refuses a wrong config by name, and a token in the script; a missing secret is a problem only', async () => {
    const { gameUserId } = await buildMember(guild);
    const game = await guild.play(
      `local function problemOf(config)
        return select(2, pcall(Rolelink.new, config))
      end
      local good = { address = "https://rolelink.example", guildId = "1", secret = "none" }
      for name, value in pairs({ address = "rolelink.example", guildId = 5, secret = "rlk_x" }) do
        local config = setmetatable({ [name] = value }, { __index = good })
        ask("tell", problemOf(config))
      end
      local rolelink = Rolelink.new(good)
      ${joining(gameUserId)}
      ask("tell", select(2, rolelink:GetMemberAsync(p1)))
      ask("tell", select(2, rolelink:GetMemberAsync(nil)))
      ask("tell", select(2, rolelink:GetMemberAsync({ UserId = -1 })))`,
    );
    const said = game.told.map(String).sort();
    expect(said.some((text) => text.includes('`address`'))).to.equal(true);
    expect(said.some((text) => text.includes('`guildId`'))).to.equal(true);
    expect(said.some((text) => text.includes('leaks'))).to.equal(true);
    expect(said.some((text) => text.includes("Can't find secret"))).to.equal(true);
    expect(said.filter((text) => text.includes('players of the game only')).length).to.equal(2);
    expect(game.requests).to.deep.equal([]);
  });
});
