import type { SandboxInteraction, SandboxMessage } from '../sandbox/discord/discord-sandbox.js';
import type { DemoCast, DemoStep } from './demo-cast.js';
import { type DemoStage, until } from './demo-stage.js';

/** As many presses as an admin needs at most, from the invitation to roles; sending a form counts as one. */
const mostPresses = 8;

/** The first chapter: from the invitation to a server in which every rank gives a role. */
export function setupStory({ discord, guildIsKnown }: DemoStage, { ada, base, group, role }: DemoCast): DemoStep[] {
  const messages = () => discord.messages(discord.channel(base.id).id);
  let presses = 0;

  const press = (on: SandboxMessage, label: string): Promise<SandboxInteraction> => {
    presses += 1;
    return discord.press(base.id, ada.id, on, label);
  };
  const next = async (on: SandboxMessage, label: string, says: RegExp) => (await press(on, label)).replyMatching(says);

  return [
    {
      tells: 'Ada invites Rolelink into her server Ranger Base, and it writes one message with the button Set up',
      async play() {
        discord.addBot(base.id);
        await guildIsKnown(base.id);
        await until('the welcome is in the channel', () => messages().length === 1);
      },
    },
    {
      tells: `She presses it, finds her Roblox group by name, has the missing roles made, and applies: ${mostPresses} presses`,
      async play() {
        const [welcome] = messages();
        if (welcome === undefined) throw new Error('There is no welcome.');
        const start = await next(welcome, 'Set up', /Your Roblox group/);
        const form = await press(start, 'Find my group');
        presses += 1;
        const ranks = await (await discord.submit(form, { group: group.name })).replyMatching(
          /no role with this name yet/,
        );
        const made = await next(ranks, 'Create the missing roles', /4 roles were created/);
        const people = await next(made, 'Next', /Everyone who is verified gets/);
        const panel = await next(people, 'Next', /The panel with the Verify button/);
        const summary = await next(panel, 'Next', /Nothing has been changed yet/);
        await (await press(summary, 'Apply')).replyMatching(/Rolelink is set up/, 15_000);
        if (presses > mostPresses) throw new Error(`That took ${presses} presses.`);
        for (const name of ['Recruit', 'Officer', 'Commander']) role(name);
        await until('the panel is in the channel', () => panelIn(messages()) !== undefined);
      },
    },
  ];
}

/** The panel among messages: the last one with the button Verify. */
export const panelIn = (messages: readonly SandboxMessage[]): SandboxMessage | undefined =>
  messages.findLast(({ buttons }) => buttons.some(({ label }) => label === 'Verify'));
