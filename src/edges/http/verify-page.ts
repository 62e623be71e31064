import type { ProofMethod } from '../../core/settings/guild-settings.js';
import { failureWords } from '../../features/verification/failure-words.js';
import type { VerificationSession } from '../../features/verification/verification-session.js';
import { clock } from '../../lib/clock.js';
import { type Markup, markup } from '../../lib/html.js';
import { page } from './html-page.js';

interface VerifyPage {
  session: VerificationSession;
  token: string;
  /** The person's name on Discord. */
  chatUsername: string;
  /** The server that the person verifies for, if any. */
  guildName: string | null;
  /** What the person may choose from. */
  methods: readonly ProofMethod[];
  /** The address of the picture of the account that the person is asked about. */
  imageUrl: string | null;
  /** What was wrong with the form that was just sent. */
  complaint?: string | undefined;
}

/** The page on which a person verifies (SPEC §8): every step is a link or a form, so that it works without scripts. */
export function renderVerifyPage(view: VerifyPage): string {
  const { session, chatUsername, guildName } = view;
  if (session.state === 'completed') return page('Your account is linked', completed(session, chatUsername));
  const purpose = guildName === null ? 'your Roblox account' : `your Roblox account for ${guildName}`;
  return page(
    `Link ${purpose}`,
    markup`<p>You are signed in to Discord as <strong>${chatUsername}</strong>.</p>
${notice(view)}${nextStep(view)}`,
  );
}

function nextStep(view: VerifyPage): Markup {
  if (view.session.state === 'pending') return challenge(view);
  if (view.session.proofInProgress) return checking(view.token);
  if (view.session.state === 'awaiting_confirmation') return question(view);
  return view.session.state === 'awaiting_transfer' ? waiting(view) : again(view);
}

/** What a server's token proved becomes the person's account only when they say so here (SPEC §5). */
function question({ session: { game, method }, token, guildName, imageUrl }: VerifyPage): Markup {
  const picture =
    imageUrl === null ? markup`` : markup`<p><img src="${imageUrl}" alt="" width="150" height="150"></p>\n`;
  const isCode = method === 'game_code';
  const who = isCode
    ? markup`Your code was typed in a Roblox game of <strong>${guildName}</strong> by this account:`
    : markup`A bot of <strong>${guildName ?? 'a server'}</strong> says that you are this Roblox account:`;
  const places = isCode ? 'that server only' : 'every server that uses Rolelink';
  return markup`<p>${who}</p>
${picture}<p><a href="https://www.roblox.com/users/${game?.gameUserId}/profile" rel="noreferrer"><strong>${game?.gameUsername}</strong></a></p>
<p>If you confirm it, this account is linked to you in ${places}.</p>
<form method="post" action="/verify/${token}">
<button name="action" value="confirm">Yes, that is me</button>
<button class="plain" name="action" value="reject">That is not me</button>
</form>`;
}

function waiting(view: VerifyPage): Markup {
  const { session } = view;
  const hours = Math.max(1, Math.ceil((session.expiresAt.getTime() - clock.epochMs()) / 3_600_000));
  return markup`<p role="status">Another Discord account has the Roblox account <strong>${session.game?.gameUsername}</strong> and
proved it by signing in on Roblox. It was asked, and if it does not object, the account becomes yours within ${hours} h.</p>
<p>Sign in on Roblox to have it at once.</p>${otherMethod(view)}`;
}

function completed({ game }: VerificationSession, chatUsername: string): Markup {
  return markup`<p>The Roblox account <strong>${game?.gameUsername}</strong> is now linked to the Discord account
<strong>${chatUsername}</strong>.</p>
<p>You can close this page and go back to Discord.</p>`;
}

function notice({ session: { reason, state, attemptsLeft }, complaint }: VerifyPage): Markup {
  const words = [
    reason === null ? undefined : failureWords[reason],
    state === 'failed' && attemptsLeft === 0 ? failureWords.too_many_attempts : undefined,
    complaint,
  ].filter((text) => text !== undefined);
  return words.length === 0 ? markup`` : markup`<p class="notice" role="alert">${words.join(' ')}</p>\n`;
}

function challenge(view: VerifyPage): Markup {
  const { session, token } = view;
  if (session.proofInProgress) return checking(token);
  return markup`${steps[session.method](session, token)}${otherMethod(view)}`;
}

/** What the person has to do, by the method of the session. */
const steps: Readonly<Record<ProofMethod, (session: VerificationSession, token: string) => Markup>> = {
  oauth: oauthStep,
  profile_code: profileSteps,
  discord_connection: connectionStep,
  game_code: gameSteps,
};

function checking(token: string): Markup {
  return markup`<p role="status">We are checking your account right now.</p>
<p><a class="button" href="/verify/${token}">Look again</a></p>`;
}

function oauthStep({ authorizeUrl }: VerificationSession): Markup {
  return markup`<p>Sign in on Roblox with the account that you want to link, and allow Rolelink to see your name.</p>
<p><a class="button" href="${authorizeUrl}">Continue with Roblox</a></p>`;
}

/** Of several accounts that Discord knows, the person takes one; which they are, Discord has to be asked first. */
function connectionStep({ connected }: VerificationSession, token: string): Markup {
  if (connected.length === 0) {
    return markup`<p>Use the Roblox account that your Discord account is connected to. Discord asks you whether Rolelink may see it.</p>
<p><a class="button" href="/verify/${token}/discord">Continue with Discord</a></p>`;
  }
  return markup`<p>Your Discord account is connected to several Roblox accounts. Which one shall be linked?</p>
<form method="post" action="/verify/${token}">
<input type="hidden" name="action" value="choose">
${connected.map(({ gameUserId, name }) => markup`<button name="gameUserId" value="${gameUserId}">${name}</button>\n`)}</form>`;
}

function gameSteps({ phrase, expiresAt }: VerificationSession, token: string): Markup {
  const minutes = Math.max(1, Math.round((expiresAt.getTime() - clock.epochMs()) / 60_000));
  return markup`<ol>
<li>Open the Roblox game of this server.</li>
<li>Type this code there, and show it to nobody:</li>
</ol>
<p class="phrase">${phrase}</p>
<p>It works once, for another ${minutes} min, and counts in this server only.</p>
<p><a class="button" href="/verify/${token}">I’ve typed it</a></p>`;
}

function profileSteps({ phrase, gameUsername, attemptsLeft, expiresAt }: VerificationSession, token: string): Markup {
  const minutes = Math.max(1, Math.round((expiresAt.getTime() - clock.epochMs()) / 60_000));
  return markup`<ol>
<li>Open <a href="https://www.roblox.com/users/profile" rel="noreferrer">your Roblox profile</a> and edit its About text.</li>
<li>Put these words anywhere in it, and save:</li>
</ol>
<p class="phrase">${phrase}</p>
<form method="post" action="/verify/${token}">
<label for="gameUsername">Your Roblox username</label>
<input id="gameUsername" name="gameUsername" value="${gameUsername}" maxlength="100" required autocomplete="off"
 autocapitalize="none" spellcheck="false">
<p><button name="action" value="complete">I’ve added it</button></p>
</form>
<p>The words hold for another ${minutes} min. Tries left: ${attemptsLeft}. Afterwards you can remove them.</p>`;
}

/** After a failure or the end of its time a session goes on with a retry, as long as there are tries left. */
function again(view: VerifyPage): Markup {
  const { session, token } = view;
  if (session.attemptsLeft === 0) return markup``;
  if (session.method === 'discord_connection') return markup`${connectionStep(session, token)}${otherMethod(view)}`;
  return markup`<form method="post" action="/verify/${token}">
<button name="action" value="retry">${session.state === 'expired' ? 'Start again' : 'Try again'}</button>
</form>${otherMethod(view)}`;
}

/** The connection needs no switch: its link goes to Discord from any state of the session. */
const switchWords = {
  oauth: 'Sign in on Roblox instead',
  profile_code: 'Put words into my profile instead',
  game_code: 'Type a code in a Roblox game instead',
} as const satisfies Partial<Record<ProofMethod, string>>;

const isSwitch = (method: ProofMethod): method is keyof typeof switchWords => method in switchWords;

function otherMethod({ session, token, methods }: VerifyPage): Markup {
  const others = methods.filter(isSwitch).filter((method) => method !== session.method);
  const isOffered = methods.includes('discord_connection') && session.method !== 'discord_connection';
  const connection = isOffered
    ? markup`<p><a class="button plain" href="/verify/${token}/discord">Use the Roblox account of my Discord</a></p>\n`
    : markup``;
  if (others.length === 0) return connection;
  return markup`${connection}<form method="post" action="/verify/${token}">
<input type="hidden" name="action" value="retry">
${others.map((method) => markup`<button class="plain" name="method" value="${method}">${switchWords[method]}</button>\n`)}</form>`;
}
