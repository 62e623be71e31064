import { PermissionFlagsBits } from 'discord.js';
import { z } from 'zod';
import { type DemoCast, type DemoStep, expectWords, hasRoles } from './demo-cast.js';
import { type DemoStage, until } from './demo-stage.js';

const preview = z.object({ previewId: z.string() });
const counts = z.object({ gaining: z.number(), losing: z.number() });
const latest = z.object({ switch: z.object({ state: z.string() }).nullable() });
const session = z.object({ token: z.string(), phrase: z.string() });

/** The last chapter: a server with another bot in it, which is observed, then switched, then switched back. */
export function switchStory(stage: DemoStage, { ada, group }: DemoCast): DemoStep[] {
  const { discord, roblox } = stage;
  const other = { id: '', path: '', officer: '' };
  const people = { gia: '', hugo: '' };
  const writes = (): number =>
    discord.requests.filter(
      ({ method, path }) => method !== 'GET' && path.startsWith(`/api/v10/guilds/${other.id}/members/`),
    ).length;

  return [
    {
      tells: 'Ada’s third server has another bot; Rolelink comes to observe, and Gia and Hugo verify',
      async play() {
        other.id = discord.addGuild({ name: 'Ranger Station', ownerId: ada.id }).id;
        other.path = `/api/guilds/${other.id}`;
        const permissions = PermissionFlagsBits.ManageRoles;
        discord.addRole(other.id, { name: 'Other bot', permissions, managed: true });
        other.officer = discord.addRole(other.id, { name: 'Officer' }).id;
        await stage.guildIsKnown(other.id);
        await expectWords(
          await discord.command(other.id, ada.id, 'settings mode', { mode: 'observe' }),
          /only observed/,
        );
        const byAda = await stage.signIn(ada.id);
        await byAda.call('POST', `${other.path}/groups`, { groupId: group.id });
        const condition = { type: 'group_rank', groupId: group.id, min: 100, max: 255 };
        await byAda.call('POST', `${other.path}/mappings`, { condition, roleIds: [other.officer] });
        people.gia = await join('gia', 100, []);
        people.hugo = await join('hugo', 10, [other.officer]);
      },
    },
    {
      tells: '/differences says that Gia would be an Officer and Hugo would not; nobody was changed',
      async play() {
        const byAda = await stage.signIn(ada.id);
        await until('both differ', async () => {
          const { gaining, losing } = counts.parse(await byAda.call('GET', `${other.path}/differences/counts`));
          return gaining === 1 && losing === 1;
        });
        await expectWords(
          await discord.command(other.id, ada.id, 'differences'),
          /1\*\* would gain roles · \*\*1\*\* would lose/,
        );
        if (writes() > 0) throw new Error('A member was changed.');
      },
    },
    {
      tells: 'Ada goes live: exactly that is done',
      async play() {
        const byAda = await stage.signIn(ada.id);
        const { previewId } = preview.parse(await byAda.call('POST', `${other.path}/sync/preview`, {}));
        await byAda.call('POST', `${other.path}/differences/go-live`, { previewId });
        await hasRoles(stage, other.id, people.gia, other.officer);
        await hasRoles(stage, other.id, people.hugo);
      },
    },
    {
      tells: 'She undoes the switch: both are as they were, and Rolelink observes again',
      async play() {
        const byAda = await stage.signIn(ada.id);
        await byAda.call('POST', `${other.path}/differences/undo`);
        await until('the undo is done', async () => {
          return latest.parse(await byAda.call('GET', `${other.path}/differences/switch`)).switch?.state === 'undone';
        });
        await hasRoles(stage, other.id, people.gia);
        await hasRoles(stage, other.id, people.hugo, other.officer);
      },
    },
  ];

  /** A person in the group joins with these roles, and verifies. */
  async function join(username: string, rank: number, roleIds: string[]): Promise<string> {
    const person = discord.addUser({ username });
    const game = roblox.addUser({ username: `${username}_ranger` });
    roblox.setRank(group.id, game.id, rank);
    discord.join(other.id, person.id, { roleIds });
    const wish = { guildId: other.id, chatUserId: person.id, method: 'profile_code' };
    const { token, phrase } = session.parse(await stage.platform.call('POST', '/api/verification/session', wish));
    roblox.setAbout(game.id, phrase);
    await stage.platform.call('POST', '/api/verification/complete', { token, gameUsername: game.username });
    return person.id;
  }
}
