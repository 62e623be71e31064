import { z } from 'zod';
import { callerOf } from './demo-caller.js';
import { type DemoCast, type DemoStep, hasRoles } from './demo-cast.js';
import { type DemoStage, until } from './demo-stage.js';

const made = z.object({ token: z.string() });
const offered = z.object({ phrase: z.string() });
const found = z.object({ data: z.array(z.object({ member: z.object({ status: z.string() }).nullable() })) });

/** A game's server speaks with one token, which opens nothing else. */
export function gameStory(stage: DemoStage, { ada, base, role }: DemoCast): DemoStep[] {
  const { discord, roblox } = stage;
  const guild = `/api/guilds/${base.id}`;
  return [
    {
      tells:
        'Ada makes a token of the role `game`: Kim types her code in the game, confirms on Discord, and the game sees her linked',
      async play() {
        const byAda = await stage.signIn(ada.id);
        const { token } = made.parse(await byAda.call('POST', `${guild}/tokens`, { name: 'Rangers', role: 'game' }));
        const game = callerOf(stage.url, { authorization: `Bot ${token}` });
        const [kim, player] = [discord.addUser({ username: 'kim' }), roblox.addUser({ username: 'KimRanger' })];
        discord.join(base.id, kim.id);
        const wish = { guildId: base.id, method: 'game_code' };
        const byKim = await stage.signIn(kim.id);
        const { phrase: code } = offered.parse(await byKim.call('POST', '/api/verification/session', wish));
        const typed = { code, gameUserId: player.id };
        await game.call('POST', `${guild}/verification/game-codes/redeem`, typed);
        await until('Kim is asked', () => discord.directMessages(kim.id).length > 0);
        const question = discord.directMessages(kim.id).at(-1);
        if (question === undefined) throw new Error('Kim has no message.');
        await (await discord.press(base.id, kim.id, question, "Yes, that's me")).reply();
        await hasRoles(stage, base.id, kim.id, role('Verified'));
        const players = { gameUserIds: [player.id] };
        const { data } = found.parse(await game.call('POST', `${guild}/members/lookup`, players));
        if (data[0]?.member?.status !== 'linked') throw new Error('The game does not see Kim linked.');
        const other = await game.refused('GET', `${guild}/members`);
        if (other.code !== 'forbidden') throw new Error(`The members were refused by ${other.code}.`);
      },
    },
  ];
}
