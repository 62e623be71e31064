import { type NamedServer, refusedUse, type UseChoice } from '../../../features/accounts/account-choices.js';
import type { VerificationSession } from '../../../features/verification/verification-session.js';
import { type Markup, markup } from '../../../lib/html.js';
import { currentLocale, type TextKey, t } from '../../../lib/translate.js';
import { refusalWords } from '../../../lib/translate-refusal.js';
import { pageText } from './html-page.js';

/** More names would hide the words around them. */
const mostNames = 10;

/**
 * Asks how a person uses an account that they have proved beside another one (VER-35). The first possible use is the
 * default. A refused one has its reason in place of a button.
 */
export function useQuestion(
  { game, guildId, attemptsLeft }: VerificationSession,
  choices: readonly UseChoice[],
  token: string,
): Markup {
  const first = choices.find(({ refusal }) => refusal === null);
  const account = markup`<strong>${game?.gameUsername}</strong>`;
  return markup`<p>${pageText('use.question', { account })}</p>
<h2>${t('use.title')}</h2>
<form method="post" action="/verify/${token}">
<input type="hidden" name="action" value="use">
<input type="hidden" name="gameUserId" value="${game?.gameUserId}">
${choices.map((choice) => choiceOf(choice, { isFirst: choice === first, isHere: guildId !== null }))}</form>
${attemptsLeft > 0 && startAgain(token)}`;
}

function choiceOf({ use, changes, refusal }: UseChoice, { isFirst, isHere }: { isFirst: boolean; isHere: boolean }) {
  const name = use === 'here' && !isHere ? 'add' : use;
  const label = t(`use.${name}`);
  if (refusal !== null) return markup`<p><strong>${label}</strong>: ${refusalWords(refusedUse(refusal))}</p>\n`;
  const style = isFirst ? markup`` : markup` class="plain"`;
  const meaning: TextKey = `use.${name}_means`;
  return markup`<p><button${style} name="use" value="${use}" aria-describedby="use-${use}">${label}</button>
<small id="use-${use}">${t(meaning)} ${serversThatChange(changes)}</small></p>\n`;
}

/** Names the servers that a choice changes; some and a number if they are many. */
function serversThatChange(servers: readonly NamedServer[]): Markup {
  if (servers.length === 0) return markup`${t('use.changes_none')}`;
  const names = servers.slice(0, mostNames).map(({ name }) => name);
  const left = servers.length - names.length;
  const all = left === 0 ? names : [...names, t('use.more', { count: left })];
  const parts = new Intl.ListFormat(currentLocale()).formatToParts(all);
  const named = parts.map(({ type, value }) => (type === 'element' ? markup`<strong>${value}</strong>` : value));
  return pageText('use.changes', { servers: markup`${named}` });
}

const startAgain = (token: string): Markup => markup`<form method="post" action="/verify/${token}">
<button class="plain" name="action" value="retry">${t('verify.start_again')}</button>
</form>`;
