import { z } from 'zod';
import { config } from '../../src/config/config.js';
import { callerOf } from './demo-caller.js';
import { type DemoCast, type DemoStep, expectWords, hasRoles } from './demo-cast.js';
import { GamePlace } from './demo-game-place.js';
import { type DemoStage, until } from './demo-stage.js';

const session = z.object({ token: z.string(), phrase: z.string() });
const mostHeardMs = 2_000;
const change = z.object({ state: z.string(), memberId: z.string().nullable() });

/** A training place in a game promotes people, and can do nothing else. Staff take people in and promote them in Discord. */
export function rankingStory(stage: DemoStage, { ada, base, role }: DemoCast): DemoStep[] {
  const { discord, roblox } = stage;
  const guild = `/api/guilds/${base.id}`;
  const owner = roblox.addUser({ username: 'academy_owner' });
  const academy = roblox.addGroup({
    name: 'Ranger Academy',
    ownerId: owner.id,
    roles: ['Guest', 'Cadet', 'Ranger', 'Teacher']
      .map((name, rank) => ({ name, rank }))
      .concat({ name: 'Owner', rank: 255 }),
  });
  const idOf = (name: string): string => academy.roles.find((each) => each.name === name)?.id ?? '';
  const ivy = { id: '', gameUserId: '' };
  const jon = { id: '', gameUserId: '' };
  let ranger = '';

  /** Proves an account by a phrase in its profile. */
  async function verify(chatUserId: string, game: { id: string; username: string }): Promise<void> {
    const wish = { guildId: base.id, chatUserId, method: 'profile_code' };
    const { token, phrase } = session.parse(await stage.platform.call('POST', '/api/verification/session', wish));
    roblox.setAbout(game.id, phrase);
    await stage.platform.call('POST', '/api/verification/complete', { token, gameUsername: game.username });
  }

  /** Ada's command, and then the press of a button under its answer. */
  async function byAda(command: string, options: Record<string, string>, label: string, says: RegExp): Promise<void> {
    const question = await (await discord.command(base.id, ada.id, command, options)).reply();
    await expectWords(await discord.press(base.id, ada.id, question, label), says, 10_000);
  }

  let heardAfterMs = 0;

  return [
    {
      tells: 'The operator lets Rolelink rank in Ranger Academy; Ada attaches it, and its cadet Ivy joins and verifies',
      async play() {
        roblox.setKey({ accountId: owner.id });
        (config().rankingGroups as Set<string>).add(academy.id);
        const byAda = await stage.signIn(ada.id);
        await byAda.call('POST', `${guild}/groups`, { groupId: academy.id });
        ranger = discord.addRole(base.id, { name: 'Ranger' }).id;
        const condition = { type: 'group_rank', groupId: academy.id, min: 2, max: 254 };
        await byAda.call('POST', `${guild}/mappings`, { condition, roleIds: [ranger] });
        ivy.id = discord.addUser({ username: 'ivy' }).id;
        const game = roblox.addUser({ username: 'ivy_ranger' });
        ivy.gameUserId = game.id;
        roblox.setGroupRoles(academy.id, game.id, [idOf('Cadet')]);
        discord.join(base.id, ivy.id);
        await verify(ivy.id, game);
        await hasRoles(stage, base.id, ivy.id, role('Verified'));
      },
    },
    {
      tells:
        'The training place promotes Ivy by a `ranker` token: she is a Ranger on Roblox and on Discord, and no higher',
      async play() {
        const ranking = { groupIds: [academy.id], lowestRank: 1, highestRank: 2, mayDemote: false, perHour: 60 };
        const place = callerOf(stage.url, { authorization: `Bot ${await stage.mintRanker(base.id, ranking)}` });
        const path = `${guild}/groups/${academy.id}/ranks`;
        const promotion = { gameUserId: ivy.gameUserId, step: 1, reason: 'Passed the training' };
        const { state, memberId } = change.parse(await place.call('POST', path, promotion));
        if (state !== 'done' || memberId !== ivy.id) throw new Error(`The change of Ivy's rank is ${state}.`);
        if (roblox.ranksOf(academy.id, ivy.gameUserId)?.join() !== '2') throw new Error('Ivy is no Ranger on Roblox.');
        await hasRoles(stage, base.id, ivy.id, role('Verified'), ranger);
        const higher = await place.refused('POST', path, promotion);
        if (higher.code !== 'rank_above_limit') throw new Error(`A further step was refused by ${higher.code}.`);
        const other = await place.refused('GET', `${guild}/members`);
        if (other.code !== 'forbidden') throw new Error(`The members were refused by ${other.code}.`);
      },
    },
    {
      tells: 'Jon asks to join Ranger Academy; Ada, a teacher there, sees his request in Discord and takes him in',
      async play() {
        const [teacher, game] = [roblox.addUser({ username: 'ada_teacher' }), roblox.addUser({ username: 'JonCadet' })];
        roblox.setGroupRoles(academy.id, teacher.id, [idOf('Teacher')]);
        await verify(ada.id, teacher);
        jon.id = discord.addUser({ username: 'jon' }).id;
        jon.gameUserId = game.id;
        discord.join(base.id, jon.id);
        await verify(jon.id, game);
        roblox.requestToJoin(academy.id, game.id);
        await expectWords(await discord.command(base.id, ada.id, 'requests list', { group: academy.id }), /JonCadet/);
        await byAda('requests accept', { account: 'JonCadet', group: academy.id }, 'Accept', /JonCadet.* is in/);
        if (roblox.ranksOf(academy.id, game.id)?.join() !== '1') throw new Error('Jon is no Cadet on Roblox.');
        await hasRoles(stage, base.id, jon.id, role('Verified'));
      },
    },
    {
      tells: 'Ada promotes Jon in Discord: the change is shown first, and he has the role Ranger with the press',
      async play() {
        const promotion = { member: jon.id, group: academy.id, reason: 'Passed the interview' };
        await byAda('rank promote', promotion, 'Change rank', /Cadet.* → .*Ranger/);
        if (roblox.ranksOf(academy.id, jon.gameUserId)?.join() !== '2') throw new Error('Jon is no Ranger on Roblox.');
        await hasRoles(stage, base.id, jon.id, role('Verified'), ranger);
      },
    },
    {
      tells:
        'Ada names the training place: Jon is demoted, the running game hears it within two seconds, and his attribute follows',
      async play() {
        const { id: universe } = roblox.addUniverse({ players: 2 });
        await expectWords(await discord.command(base.id, ada.id, 'settings set', { universes: universe }), /Saved/);
        const caller = callerOf(stage.url, { authorization: `Bot ${await stage.mintGame(base.id)}` });
        const place = new GamePlace(caller, base.id, ranger);
        await place.lookUp([jon.gameUserId]);
        if (place.hasRole(jon.gameUserId) !== true) throw new Error('The game does not see Jon as a Ranger.');
        const end = place.listenIn(roblox, universe);
        let changedAt = 0;
        const watch = setInterval(() => {
          if (roblox.ranksOf(academy.id, jon.gameUserId)?.join() === '1') changedAt ||= performance.now();
        }, 5);
        const demotion = { member: jon.id, group: academy.id, reason: 'Missed the training' };
        await byAda('rank demote', demotion, 'Change rank', /Ranger.* → .*Cadet/);
        await until("Jon's attribute follows", () => place.hasRole(jon.gameUserId) === false);
        clearInterval(watch);
        end();
        heardAfterMs = Math.round((place.heardAt ?? Number.POSITIVE_INFINITY) - changedAt);
        if (heardAfterMs > mostHeardMs) throw new Error(`The game heard it after ${heardAfterMs} ms.`);
      },
      found: () => `heard ${heardAfterMs} ms after the change on Roblox`,
    },
    {
      tells: 'The training place reports that Jon has reached level 10, and he has the role Veteran',
      async play() {
        const veteran = discord.addRole(base.id, { name: 'Veteran' }).id;
        const wish = { fact: 'level', at_least: 10, role: veteran };
        await expectWords(await discord.command(base.id, ada.id, 'mapping fact', wish), /level is at least 10/);
        const place = callerOf(stage.url, { authorization: `Bot ${await stage.mintGame(base.id)}` });
        const people = [{ gameUserId: jon.gameUserId, facts: { level: 10 } }];
        await place.call('PUT', `${guild}/facts`, { people });
        await hasRoles(stage, base.id, jon.id, role('Verified'), veteran);
      },
    },
  ];
}
