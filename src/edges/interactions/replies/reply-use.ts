import { type APIButtonComponent, ButtonStyle } from 'discord.js';
import { choicesOf, type NamedServer, refusedUse, type UseChoice } from '../../../features/accounts/account-choices.js';
import type { GameIdentity } from '../../../features/members/member-model.js';
import type { VerificationSession } from '../../../features/verification/verification-service.js';
import { currentLocale, type TextKey, t } from '../../../lib/translate.js';
import { refusalWords } from '../../../lib/translate-refusal.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { componentId } from '../component-id.js';
import { list, pressButton, type Reply } from './reply.js';
import { gameAccount } from './reply-account.js';

/** More names would hide the words around them. */
const mostNames = 10;

/**
 * Asks how a person uses an account that they have proved beside another one (VER-35). The first possible use is the
 * default. A refused one has its reason in place of a button.
 */
export async function useQuestion(session: VerificationSession, game: GameIdentity, token: string): Promise<Reply> {
  const choices = await choicesOf(session, game.gameUserId);
  const possible = choices.filter(({ refusal }) => refusal === null);
  return list(
    t('use.title'),
    [t('use.question', { account: gameAccount(game) }), ...choices.map(describeChoice)],
    possible.map(({ use }, n) => useButton([token, game.gameUserId, use], t(`use.${use}`), n === 0)),
    'attention',
  );
}

function useButton(state: string[], label: string, isDefault: boolean): APIButtonComponent {
  return pressButton(
    componentId('account-use', ...state),
    label,
    isDefault ? ButtonStyle.Primary : ButtonStyle.Secondary,
  );
}

function describeChoice({ use, changes, refusal }: UseChoice): string {
  const meaning: TextKey = `use.${use}_means`;
  const words = refusal === null ? `${t(meaning)} ${serversThatChange(changes)}` : refusalWords(refusedUse(refusal));
  return `- **${t(`use.${use}`)}**: ${words}`;
}

/** Names the servers that a choice changes; some and a number if they are many. */
export function serversThatChange(servers: readonly NamedServer[]): string {
  return servers.length === 0 ? t('use.changes_none') : t('use.changes', { servers: namesOf(servers) });
}

export function namesOf(servers: readonly NamedServer[]): string {
  const names = servers.slice(0, mostNames).map(({ name }) => `**${verbatim(name)}**`);
  const left = servers.length - names.length;
  const all = left === 0 ? names : [...names, t('use.more', { count: left })];
  return new Intl.ListFormat(currentLocale()).format(all);
}
