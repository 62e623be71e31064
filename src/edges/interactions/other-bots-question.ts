import { type APIButtonComponent, ButtonStyle } from 'discord.js';
import { changeSettings } from '../../core/settings/settings-change.js';
import { t } from '../../lib/translate.js';
import { verbatim } from '../../platforms/discord/channel-messages.js';
import type { Entrance } from './commands/command-access.js';
import { componentId } from './component-id.js';
import { pressButton } from './replies/reply.js';

// Beside another bot that gives roles, an import and a configuration ask first whether the server should only observe
// (PEOPLE-31, CONF-61).

/** The question itself, for at least one bot. */
export const otherBotsLine = (names: readonly string[]): string =>
  `⚠️ ${t('people.other_bots', { bots: names.map(verbatim).join(', ') })}`;

/** *Observe first* and *Apply now*, each with the review's state. */
export const otherBotsButtons = (what: 'import' | 'config', state: string[]): APIButtonComponent[] => [
  pressButton(componentId(`${what}-observe`, ...state), t('people.observe_first')),
  pressButton(componentId(`${what}-apply`, ...state), t('people.apply_now'), ButtonStyle.Secondary),
];

/** Lets the server observe from now on. */
export async function observeFrom({ guild, actor }: Entrance): Promise<void> {
  await changeSettings(guild, actor, (settings) => ({ ...settings, mode: 'observe' }));
}
