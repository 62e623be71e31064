import type { ProofMethod } from '../../../core/settings/guild-settings.js';
import type { UseChoice } from '../../../features/accounts/account-choices.js';
import { failureText, failureTexts } from '../../../features/verification/failure-words.js';
import type { VerificationSession } from '../../../features/verification/verification-session.js';
import { clock } from '../../../lib/clock.js';
import { type Markup, markup } from '../../../lib/html.js';
import { type TextKey, t } from '../../../lib/translate.js';
import { page, pageText } from './html-page.js';
import { useQuestion } from './verify-page-use.js';

interface VerifyPage {
  session: VerificationSession;
  token: string;
  chatUsername: string;
  guildName: string | null;
  methods: readonly ProofMethod[];
  /** Whether another bot gives the guild's roles (OBS-8). */
  observes: boolean;
  /** The address of the account's picture in the question. */
  imageUrl: string | null;
  /** The proved account's uses that the person chooses from; none while there is nothing to choose. */
  choices: readonly UseChoice[];
  /** The error in the form that was just sent. */
  complaint?: string | undefined;
}

/** The page where a person verifies (DASH-20): every step is a link or a form, so that it works without scripts. */
export function renderVerifyPage(view: VerifyPage): string {
  const { session, chatUsername, guildName, observes } = view;
  const observed = observes ? markup`<p>${t('page.observed')}</p>\n` : markup``;
  if (session.state === 'completed') return page(t('page.linked'), completed(session, chatUsername, observed));
  return page(
    guildName === null ? t('page.link') : t('page.link_for', { guild: guildName }),
    markup`<p>${pageText('page.signed_in_as', { person: strong(chatUsername) })}</p>
${observed}${notice(view)}${nextStep(view)}`,
  );
}

const strong = (text: string | undefined): Markup => markup`<strong>${text}</strong>`;

function nextStep(view: VerifyPage): Markup {
  const { session, choices, token } = view;
  if (session.isChoosing && !session.proofInProgress) return useQuestion(session, choices, token);
  if (session.state === 'pending') return challenge(view);
  if (session.proofInProgress) return checking(token);
  if (session.state === 'awaiting_confirmation') return question(view);
  return session.state === 'awaiting_transfer' ? waiting(view) : again(view);
}

/** A proof by a server's token becomes the person's account only after their confirmation here (VER-12). */
function question({ session: { game, method }, token, guildName, imageUrl }: VerifyPage): Markup {
  const picture =
    imageUrl === null ? markup`` : markup`<p><img src="${imageUrl}" alt="" width="150" height="150"></p>\n`;
  const isCode = method === 'game_code';
  const guild = strong(guildName ?? t('page.some_server'));
  return markup`<p>${pageText(isCode ? 'page.code_typed' : 'page.bot_says', { guild })}</p>
${picture}<p><a href="https://www.roblox.com/users/${game?.gameUserId}/profile" rel="noreferrer"><strong>${game?.gameUsername}</strong></a></p>
<p>${t(isCode ? 'page.links_there' : 'page.links_everywhere')}</p>
<form class="buttons" method="post" action="/verify/${token}">
<input type="hidden" name="gameUserId" value="${game?.gameUserId}">
<input type="hidden" name="method" value="${method}">
<button name="action" value="confirm">${t('claim.yes')}</button>
<button class="plain" name="action" value="reject">${t('claim.no')}</button>
</form>`;
}

function waiting(view: VerifyPage): Markup {
  const { session } = view;
  const hours = Math.max(1, Math.ceil((session.expiresAt.getTime() - clock.epochMs()) / 3_600_000));
  const account = strong(session.game?.gameUsername);
  return markup`<p role="status">${pageText('page.waits_for_owner', { account, hours })}</p>
<p>${t('page.sign_in_for_it')}</p>${otherMethod(view)}`;
}

function completed({ game }: VerificationSession, chatUsername: string, observed: Markup): Markup {
  const accounts = { account: strong(game?.gameUsername), person: strong(chatUsername) };
  return markup`<p>${pageText('page.linked.text', accounts)}</p>
${observed}<p>${t('page.back_to_discord')}</p>`;
}

function notice({ session: { reason, state, attemptsLeft }, complaint }: VerifyPage): Markup {
  const words = reason === null ? [] : state === 'failed' ? failureTexts(reason, attemptsLeft) : [failureText(reason)];
  if (complaint !== undefined) words.push(complaint);
  return words.length === 0 ? markup`` : markup`<p class="notice" role="alert">${words.join(' ')}</p>\n`;
}

function challenge(view: VerifyPage): Markup {
  const { session, token } = view;
  if (session.proofInProgress) return checking(token);
  return markup`${steps[session.method](session, token)}${otherMethod(view)}`;
}

const steps: Readonly<Record<ProofMethod, (session: VerificationSession, token: string) => Markup>> = {
  oauth: oauthStep,
  profile_code: profileSteps,
  discord_connection: connectionStep,
  game_code: gameSteps,
};

function checking(token: string): Markup {
  return markup`<p role="status">${t('page.checking')}</p>
<p><a class="button" href="/verify/${token}">${t('page.look_again')}</a></p>`;
}

function oauthStep({ authorizeUrl }: VerificationSession): Markup {
  return markup`<p>${t('page.oauth_step')}</p>
<p><a class="button" href="${authorizeUrl}">${t('verify.continue_with_roblox')}</a></p>`;
}

/** The person chooses among several accounts known to Discord, once Discord has listed them. */
function connectionStep({ connected }: VerificationSession, token: string): Markup {
  if (connected.length === 0) {
    return markup`<p>${t('page.connection_step')}</p>
<p><a class="button" href="/verify/${token}/discord">${t('page.continue_with_discord')}</a></p>`;
  }
  return markup`<p>${t('page.which_account')}</p>
<form class="buttons" method="post" action="/verify/${token}">
<input type="hidden" name="action" value="choose">
${connected.map(({ gameUserId, name }) => markup`<button name="gameUserId" value="${gameUserId}">${name}</button>\n`)}</form>`;
}

function gameSteps({ phrase, expiresAt }: VerificationSession, token: string): Markup {
  const minutes = Math.max(1, Math.round((expiresAt.getTime() - clock.epochMs()) / 60_000));
  return markup`<ol>
<li>${t('page.open_game')}</li>
<li>${t('page.type_code')}</li>
</ol>
<p class="phrase">${phrase}</p>
<p>${t('page.code_holds', { minutes })}</p>
<p><a class="button" href="/verify/${token}">${t('page.typed_it')}</a></p>`;
}

function profileSteps({ phrase, gameUsername, attemptsLeft, expiresAt }: VerificationSession, token: string): Markup {
  const minutes = Math.max(1, Math.round((expiresAt.getTime() - clock.epochMs()) / 60_000));
  const profile = markup`<a href="https://www.roblox.com/users/profile" rel="noreferrer">${t('page.your_profile')}</a>`;
  return markup`<ol>
<li>${pageText('page.open_profile', { profile })}</li>
<li>${t('page.put_words')}</li>
</ol>
<p class="phrase">${phrase}</p>
<form method="post" action="/verify/${token}">
<label for="gameUsername">${t('page.username')}</label>
<input id="gameUsername" name="gameUsername" value="${gameUsername}" maxlength="100" required autocomplete="off"
 autocapitalize="none" spellcheck="false">
<p><button name="action" value="complete">${t('page.added_it')}</button></p>
</form>
<p>${t('page.words_hold', { minutes, tries: attemptsLeft })}</p>`;
}

/** After a failure or expiry, a session continues with a retry, while attempts remain. */
function again(view: VerifyPage): Markup {
  const { session, token } = view;
  if (session.attemptsLeft === 0) return markup``;
  if (session.method === 'discord_connection') return markup`${connectionStep(session, token)}${otherMethod(view)}`;
  return markup`<form method="post" action="/verify/${token}">
<button name="action" value="retry">${t(session.state === 'expired' ? 'verify.start_again' : 'verify.try_again')}</button>
</form>${otherMethod(view)}`;
}

/** The connection needs no switch: its link goes to Discord from any session state. */
const switchWords = {
  oauth: 'page.oauth_instead',
  profile_code: 'page.words_instead',
  game_code: 'page.game_instead',
} as const satisfies Partial<Record<ProofMethod, TextKey>>;

const isSwitch = (method: ProofMethod): method is keyof typeof switchWords => method in switchWords;

function otherMethod({ session, token, methods }: VerifyPage): Markup {
  const others = methods.filter(isSwitch).filter((method) => method !== session.method);
  const isOffered = methods.includes('discord_connection') && session.method !== 'discord_connection';
  const connection = isOffered
    ? markup`<p><a class="button plain" href="/verify/${token}/discord">${t('page.connection_instead')}</a></p>\n`
    : markup``;
  if (others.length === 0) return connection;
  return markup`${connection}<form class="buttons" method="post" action="/verify/${token}">
<input type="hidden" name="action" value="retry">
${others.map((method) => markup`<button class="plain" name="method" value="${method}">${t(switchWords[method])}</button>\n`)}</form>`;
}
