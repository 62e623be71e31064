import { z } from 'zod';
import { type DemoCast, type DemoStep, expectWords, hasRoles } from './demo-cast.js';
import { panelIn } from './demo-setup-story.js';
import { type DemoStage, until } from './demo-stage.js';

const sessionAnswer = z.object({ token: z.string(), phrase: z.string() });

const phraseOf = (words: string): string => /```\n?([^`]+?)\n?```/.exec(words)?.[1] ?? '';

/** The second chapter, the main story: every step is played through Discord, or the API, as a person or program would. */
export function mainStory(stage: DemoStage, cast: DemoCast): DemoStep[] {
  const { discord, roblox } = stage;
  const { ada, ben, cleo, gameBen, gameCleo, group, base, role } = cast;
  const second = { id: '', memberRole: '' };

  const has = (guildId: string, userId: string, ...wanted: string[]) => hasRoles(stage, guildId, userId, ...wanted);
  const nickname = (userId: string) => discord.member(base.id, userId)?.nickname;
  const byAda = async (guildId: string, command: string, options: Record<string, string | number>, says: RegExp) =>
    expectWords(await discord.command(guildId, ada.id, command, options), says);

  return [
    {
      tells: 'Ben joins; nobody knows him yet, so he has no roles',
      async play() {
        discord.join(base.id, ben.id);
        await has(base.id, ben.id);
      },
    },
    {
      tells: 'Ben presses Verify, puts the words into his Roblox profile, and is linked',
      async play() {
        const panel = panelIn(discord.messages(discord.channel(base.id).id));
        if (panel === undefined) throw new Error('There is no panel.');
        const choice = await discord.press(base.id, ben.id, panel, 'Verify');
        const form = await discord.press(base.id, ben.id, await choice.reply(), 'Use a profile code');
        const offer = await (await discord.submit(form, { username: 'builderben' })).reply();
        roblox.setAbout(gameBen.id, `I build things. ${phraseOf(offer.content).toUpperCase()} Say hi!`);
        await expectWords(await discord.press(base.id, ben.id, offer, "I've added it"), /linked to .*BuilderBen/);
      },
    },
    {
      tells: 'He has the roles Verified and Recruit, and his Roblox name as nickname',
      async play() {
        await has(base.id, ben.id, role('Verified'), role('Recruit'));
        await until('Ben has his nickname', () => nickname(ben.id) === 'BuilderBen');
      },
    },
    {
      tells: 'He is promoted in the group, uses /update, and is an Officer and no longer a Recruit',
      async play() {
        roblox.setRank(group.id, gameBen.id, 100);
        await expectWords(await discord.command(base.id, ben.id, 'update'), /added/);
        await has(base.id, ben.id, role('Verified'), role('Officer'));
      },
    },
    {
      tells: 'Ada founds a second server; Ben joins it and has his role at once, without doing anything',
      async play() {
        second.id = discord.addGuild({ name: 'Ranger Academy', ownerId: ada.id }).id;
        second.memberRole = discord.addRole(second.id, { name: 'Member' }).id;
        await stage.guildIsKnown(second.id);
        await byAda(second.id, 'mapping verified', { role: second.memberRole }, /added/);
        discord.join(second.id, ben.id);
        await has(second.id, ben.id, second.memberRole);
      },
    },
    {
      tells: 'Ben proves another account and uses it in the second server only; the first one sees and changes nothing',
      async play() {
        const other = roblox.addUser({ username: 'BenAtSchool' });
        const before = discord.member(base.id, ben.id);
        const known = await (await discord.command(second.id, ben.id, 'verify')).reply();
        const choice = await discord.press(second.id, ben.id, known, 'Link another account');
        const form = await discord.press(second.id, ben.id, await choice.reply(), 'Use a profile code');
        const offer = await (await discord.submit(form, { username: other.username })).reply();
        roblox.setAbout(other.id, phraseOf(offer.content));
        const question = await discord.press(second.id, ben.id, offer, "I've added it");
        await expectWords(
          await discord.press(second.id, ben.id, await question.reply(), 'Use it in this server only'),
          /linked to .*BenAtSchool/,
        );
        await until('his nickname there', () => discord.member(second.id, ben.id)?.nickname === other.username);
        if (JSON.stringify(discord.member(base.id, ben.id)) !== JSON.stringify(before))
          throw new Error('The first server has changed Ben.');
      },
    },
    {
      tells: 'Cleo verifies over the REST API, and has her roles too',
      async play() {
        discord.join(base.id, cleo.id);
        const wish = { guildId: base.id, chatUserId: cleo.id, method: 'profile_code' };
        const session = sessionAnswer.parse(await stage.platform.call('POST', '/api/verification/session', wish));
        roblox.setAbout(gameCleo.id, session.phrase);
        const proof = { token: session.token, gameUsername: 'CleoCraft' };
        await stage.platform.call('POST', '/api/verification/complete', proof);
        await has(base.id, cleo.id, role('Verified'), role('Officer'));
      },
    },
    {
      tells: 'Roblox fails: /update says so in words, and nobody loses a role',
      async play() {
        const restore = roblox.inject({ match: /groups|memberships/, status: 503 });
        await expectWords(await discord.command(base.id, ben.id, 'update'), /Roblox isn't answering/, 25_000);
        await has(base.id, ben.id, role('Verified'), role('Officer'));
        restore();
      },
    },
    {
      tells: 'Ben unlinks, and his roles and nickname are gone in both servers',
      async play() {
        const confirm = await (await discord.command(base.id, ben.id, 'unlink')).reply();
        await expectWords(await discord.press(base.id, ben.id, confirm, 'Unlink'), /unlinked/);
        await has(base.id, ben.id);
        await has(second.id, ben.id);
        await until('Ben has no nickname', () => !nickname(ben.id));
      },
    },
  ];
}
