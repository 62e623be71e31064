import { z } from 'zod';
import { config } from '../../src/config/config.js';
import { callerOf } from './demo-caller.js';
import { type DemoCast, type DemoStep, hasRoles } from './demo-cast.js';
import type { DemoStage } from './demo-stage.js';

const session = z.object({ token: z.string(), phrase: z.string() });
const change = z.object({ state: z.string(), memberId: z.string().nullable() });

/** A training place in a game promotes people, and can do nothing else. */
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
  let ranger = '';

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
        const wish = { guildId: base.id, chatUserId: ivy.id, method: 'profile_code' };
        const { token, phrase } = session.parse(await stage.platform.call('POST', '/api/verification/session', wish));
        roblox.setAbout(game.id, phrase);
        await stage.platform.call('POST', '/api/verification/complete', { token, gameUsername: game.username });
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
  ];
}
