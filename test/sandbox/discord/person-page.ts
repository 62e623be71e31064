import type Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import { pageForm } from '../kit/page-form.js';
import { renderForm, renderPersonPage } from './person-view.js';
import type { SandboxCore } from './sandbox-core.js';
import type { SandboxInteraction } from './sandbox-interaction.js';

const pressForm = z.object({ channelId: z.string(), messageId: z.string(), button: z.string() });
const commandForm = z.object({ command: z.string().min(1), options: z.string().default('') });
const interactionForm = z.looseObject({ interactionId: z.string() });

/** Discord as one person sees it in one guild: read the channel, press buttons, send commands, fill in forms. */
export function personPage(router: Router, core: SandboxCore): void {
  const base = '/as/:userId/in/:guildId';
  const play = (path: string, act: (ids: Ids, body: unknown) => Promise<SandboxInteraction>) =>
    pageForm(
      router,
      `${base}/${path}`,
      async (body, ctx) => {
        const ids = idsOf(ctx);
        const interaction = await act(ids, body);
        if (interaction.modal) ctx.body = renderForm(ids, interaction.id, interaction.modal);
        else ctx.body = renderPersonPage(core.state, ids, { answer: await interaction.reply() });
        return undefined;
      },
      (problem, ctx) => renderPersonPage(core.state, idsOf(ctx), { problem }),
    );

  router.get(base, (ctx) => {
    ctx.body = renderPersonPage(core.state, idsOf(ctx), {});
  });

  play('press', ({ guildId, userId }, body) => {
    const { channelId, messageId, button } = pressForm.parse(body);
    return core.people.press(guildId, userId, { id: messageId, channelId }, button);
  });

  play('command', ({ guildId, userId }, body) => {
    const { command, options } = commandForm.parse(body);
    return core.people.command(guildId, userId, command, parseOptions(options));
  });

  play('submit', (_ids, body) => {
    const { interactionId, ...values } = interactionForm.parse(body);
    return core.people.submit({ id: interactionId }, z.record(z.string(), z.string()).parse(values));
  });
}

/** Who is played, and where. */
export interface Ids {
  readonly userId: string;
  readonly guildId: string;
}

function idsOf(ctx: Context): Ids {
  return { userId: String(ctx.params.userId), guildId: String(ctx.params.guildId) };
}

/** Options as people type them in the page: `name: value`, one a line; numbers and true or false as such. */
function parseOptions(text: string): Record<string, string | number | boolean> {
  const lines = text.split('\n').filter((line) => line.includes(':'));
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...rest] = line.split(':');
      return [name.trim(), parseValue(rest.join(':').trim())];
    }),
  );
}

/** Ids stay text: they are too long for a number. */
function parseValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : text;
}
