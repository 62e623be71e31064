import { noteCommand } from '../../core/guilds/promptness.js';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { clock } from '../../lib/clock.js';
import { foreground } from '../../lib/foreground.js';
import { awaited } from '../../lib/lane.js';
import { withLogContext } from '../../lib/logger.js';
import { traced } from '../../lib/traced.js';
import { countInDiscord } from '../http/rate-limits.js';
import { type Access, type Entrance, enter } from './commands/command-access.js';
import { parseComponentId } from './component-id.js';
import { inPersonsLanguage } from './person-language.js';
import { type Answer, type Answerable, acknowledge, acknowledgeIfSlow, send } from './replies/reply-answer.js';

/** The way a command or button press is served. */
export interface Service {
  as: Access;
  /**
   * Whether the answer may be a form. A form must be the first answer, so the interaction is acknowledged only if
   * `work` is slow.
   */
  opensForm?: boolean;
}

/** An admitted visitor, with the guild's settings as loaded by `inPersonsLanguage`. */
export interface Visit extends Entrance {
  settings: GuildSettings | null;
}

/** Answers an interaction after checking access to the guild. Throws as `enter` and `work` do. */
export function serve(
  interaction: Answerable,
  { as, opensForm }: Service,
  work: (visit: Visit) => Promise<Answer>,
): Promise<void> {
  return answer(interaction, async (settings) => work({ ...(await enter(interaction, as)), settings }), opensForm);
}

/**
 * Answers an interaction with `work`'s result, in the person's language. Only that person sees it; it replaces the
 * message if the pressed one was visible only to them. Throws RateLimited, and as `work` does.
 */
export async function answer(
  interaction: Answerable,
  work: (settings: GuildSettings | null) => Promise<Answer>,
  opensForm: boolean = false,
): Promise<void> {
  const begun = clock.monotonicMs();
  const answered = async () => {
    if (!opensForm) await acknowledge(interaction);
    const made = inPersonsLanguage(interaction, async (settings) => {
      await countInDiscord(interaction.user.id);
      return work(settings);
    });
    await send(interaction, opensForm ? await acknowledgeIfSlow(interaction, made) : await made);
    if (interaction.guildId !== null) noteCommand(interaction.guildId, clock.monotonicMs() - begun);
  };
  const spanned = () => traced(spanOf(interaction), answered);
  await withLogContext({ interactionId: interaction.id }, () => awaited('press', () => foreground.serve(spanned)));
}

/** A press is named by its component, not by its custom id's other parts. */
const spanOf = (interaction: Answerable) => ({
  name: interaction.isCommand()
    ? `command ${interaction.commandName}`
    : `press ${parseComponentId(interaction.customId).name}`,
  kind: 'server' as const,
  attributes: { 'rolelink.interaction_id': interaction.id, 'rolelink.guild': interaction.guildId ?? 'none' },
});
