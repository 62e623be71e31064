import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { foreground } from '../../lib/foreground.js';
import { withLogContext } from '../../lib/logger.js';
import { countInDiscord } from '../http/rate-limits.js';
import { type Access, type Entrance, enter } from './command-access.js';
import { inPersonsLanguage } from './person-language.js';
import { type Answer, type Answerable, acknowledge, acknowledgeIfSlow, send } from './reply-answer.js';

/** How a command or a press is served. */
export interface Service {
  /** Who may. */
  as: Access;
  /** Whether the answer can be a form, which must come first: it is acknowledged only when `work` is slow. */
  opensForm?: boolean;
}

/** Who was let in where, and the guild's settings as `inPersonsLanguage` hands them on. */
export interface Visit extends Entrance {
  settings: GuildSettings | null;
}

/** Answers as `answer` does what somebody may do in their guild. Throws as `enter` and `work` do. */
export function serve(
  interaction: Answerable,
  { as, opensForm }: Service,
  work: (visit: Visit) => Promise<Answer>,
): Promise<void> {
  return answer(interaction, async (settings) => work({ ...(await enter(interaction, as)), settings }), opensForm);
}

/**
 * Answers an interaction with what `work` makes, in the person's language: for them alone, and in place of the
 * message when what they pressed is on one that only they can see. Throws RateLimited, and as `work` does.
 */
export async function answer(
  interaction: Answerable,
  work: (settings: GuildSettings | null) => Promise<Answer>,
  opensForm: boolean = false,
): Promise<void> {
  const answered = async () => {
    if (!opensForm) await acknowledge(interaction);
    const made = inPersonsLanguage(interaction, async (settings) => {
      await countInDiscord(interaction.user.id);
      return work(settings);
    });
    await send(interaction, opensForm ? await acknowledgeIfSlow(interaction, made) : await made);
  };
  await withLogContext({ interactionId: interaction.id }, () => foreground.serve(answered));
}
