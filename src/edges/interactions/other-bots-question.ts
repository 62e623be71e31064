import { changeSettings } from '../../core/settings/settings-change.js';
import { t } from '../../lib/translate.js';
import { verbatim } from '../../platforms/discord/channel-messages.js';
import type { Entrance } from './command-access.js';

// Beside another bot that gives roles, an import asks first whether the server should only observe (PEOPLE-31).

/** The question itself, for at least one bot. */
export const otherBotsLine = (names: readonly string[]): string =>
  `⚠️ ${t('people.other_bots', { bots: names.map(verbatim).join(', ') })}`;

/** Lets the server observe from now on. */
export async function observeFrom({ guild, actor }: Entrance): Promise<void> {
  await changeSettings(guild, actor, (settings) => ({ ...settings, mode: 'observe' }));
}
