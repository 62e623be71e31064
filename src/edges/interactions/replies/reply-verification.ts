import {
  type APIButtonComponent,
  ButtonStyle,
  ComponentType,
  codeBlock,
  TextInputStyle,
  TimestampStyles,
  time,
} from 'discord.js';
import type { Actor } from '../../../core/actors/actor.js';
import { findPresentGuild } from '../../../core/guilds/guild-service.js';
import type { ProofMethod } from '../../../core/settings/guild-settings.js';
import type { Member } from '../../../features/members/member-service.js';
import { claimQuestion } from '../../../features/verification/claims.js';
import { type FailureReason, failureText, failureTexts } from '../../../features/verification/failure-words.js';
import {
  type Completion,
  VerificationFailed,
  type VerificationSession,
} from '../../../features/verification/verification-service.js';
import { connectUrl, verifyUrl } from '../../../features/verification/verification-view.js';
import { AppError } from '../../../lib/errors.js';
import { t } from '../../../lib/translate.js';
import { refusalWords } from '../../../lib/translate-refusal.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import type { Entrance } from '../commands/command-access.js';
import { pressable } from '../commands/command-mention.js';
import { componentId } from '../component-id.js';
import { linkButton, note, pressButton, type Reply, say } from './reply.js';
import { gameAccount } from './reply-account.js';
import type { FormReply } from './reply-answer.js';
import { describeSync, stateOfSync } from './reply-sync.js';
import { useQuestion } from './reply-use.js';

/** A Roblox username has at most 20 characters; a profile address is longer. */
const longestReference = 100;

/** The button that starts a verification, under the panel and after each ended verification. */
export const verifyButton = (label: string) => pressButton(componentId('verify'), label);

/** The form that asks for the Roblox username; `token` belongs to a session to continue, if any. */
export function askUsername(token?: string): FormReply {
  const state = token === undefined ? [] : [token];
  const form = {
    custom_id: componentId('username', ...state),
    title: t('verify.form_title'),
    components: [
      {
        type: ComponentType.Label as const,
        label: t('verify.form_username'),
        description: t('verify.form_hint'),
        component: {
          type: ComponentType.TextInput as const,
          custom_id: 'username',
          style: TextInputStyle.Short,
          min_length: 1,
          max_length: longestReference,
        },
      },
    ],
  };
  const offer = profileCodeButton(t('verify.use_profile_code'), ...state);
  return { form, otherwise: note('neutral', t('verify.enter_username'), [offer]) };
}

export function alreadyLinked({ gameUserId = '', gameUsername = '' }: Member): Reply {
  return note('fine', t('verify.already_linked', { account: gameAccount({ gameUserId, gameUsername }) }), [
    pressButton(componentId('update-roles'), t('verify.update_roles')),
    pressButton(componentId('verify', 'another'), t('verify.link_another'), ButtonStyle.Secondary),
  ]);
}

export function wayOffer(token: string, methods: readonly ProofMethod[]): Reply {
  const words = [t('verify.choose_method'), ...methods.map((method) => `- ${t(`verify.way.${method}`)}`)];
  return note(
    'neutral',
    words.join('\n'),
    methods.map((method) => wayButtons[method](token)),
  );
}

const wayButtons: Readonly<Record<ProofMethod, (token: string) => APIButtonComponent>> = {
  oauth: (token) => linkButton(verifyUrl(token), t('verify.continue_with_roblox')),
  profile_code: (token) => profileCodeButton(t('verify.use_profile_code'), token),
  discord_connection: (token) => linkButton(connectUrl(token), t('verify.use_connection')),
  game_code: (token) => gameCodeButton(t('verify.use_game_code'), token),
};

/** The game code with its instructions; `first` comes before them. */
export function gameCodeOffer({ phrase, expiresAt }: VerificationSession, token: string, first?: string): Reply {
  const when = time(expiresAt, TimestampStyles.RelativeTime);
  const words = t('verify.game_code', { code: codeBlock(phrase ?? ''), when });
  return say(first === undefined ? words : `${first}\n\n${words}`, [
    pressButton(componentId('game-code-typed', token), t('verify.game_code_typed')),
    gameCodeButton(t('verify.game_code_new'), token),
  ]);
}

/** A game code's state: the ownership question, the result, or the code again. */
export function typedReply(session: VerificationSession, token: string, guildName: string): Reply {
  const { state, game, reason, method } = session;
  if (state === 'pending') return gameCodeOffer(session, token, t('verify.game_code_waiting'));
  if (game !== null && state === 'completed') return note('fine', t('verify.linked', { account: gameAccount(game) }));
  if (game === null || state !== 'awaiting_confirmation') {
    if (reason !== null && session.attemptsLeft === 0) return lastFailure(reason);
    const words = failureText(reason ?? 'expired');
    return note('attention', verbatim(words), [gameCodeButton(t('verify.game_code_new'), token)]);
  }
  const { words, buttons } = claimQuestion(token, { guildName, game, method });
  return say(
    words,
    buttons.map(({ customId, label, isDanger }) =>
      pressButton(customId, label, isDanger ? ButtonStyle.Danger : ButtonStyle.Primary),
    ),
  );
}

/** The words for the profile's About text, with instructions. No embed: phones can't copy text from one. */
export function phraseOffer({ phrase, expiresAt }: VerificationSession, token: string, gameUsername: string): Reply {
  const when = time(expiresAt, TimestampStyles.RelativeTime);
  return say(t('verify.phrase', { name: verbatim(gameUsername), phrase: codeBlock(phrase ?? ''), when }), [
    pressButton(componentId('profile-done', token, gameUsername), t('verify.done')),
    retryButton(t('verify.new_words'), token, gameUsername),
  ]);
}

/**
 * The linked account and the resulting roles in the guild, or what the session waits for. Throws
 * ChatPlatformUnavailable.
 */
export async function linkedReply(entrance: Entrance, completion: Completion, token: string): Promise<Reply> {
  const { session, account, sync } = completion;
  if (account === null) return waitingReply(session, token);
  const linked = t('verify.linked', { account: gameAccount(account) });
  if (sync === null) return note('attention', `${linked}\n${t('verify.sync_later')}`);
  return note(stateOfSync(sync), `${linked}\n${await describeSync(entrance, sync)}`);
}

/** The linked account alone, as in direct messages, where no role can be shown. */
export async function confirmedReply({ session, account }: Completion, token: string): Promise<Reply> {
  return account === null ? waitingReply(session, token) : say(t('verify.linked', { account: gameAccount(account) }));
}

/** A choice's result, in its guild with the roles. Throws ChatPlatformUnavailable. */
export async function chosenReply(
  completion: Completion,
  { token, actor, guildId }: { token: string; actor: Actor; guildId: string | null },
): Promise<Reply> {
  const isThere = guildId !== null && guildId === completion.session.guildId;
  const guild = isThere ? await findPresentGuild(guildId) : null;
  return guild === null ? confirmedReply(completion, token) : linkedReply({ guild, actor }, completion, token);
}

/** The person chooses the account's use (VER-35), or it moves only if its owner does not object within a day. */
async function waitingReply(session: VerificationSession, token: string): Promise<Reply> {
  const { isChoosing, game, expiresAt } = session;
  if (isChoosing && game !== null) return useQuestion(session, game, token);
  return note(
    'attention',
    pressable('verify.waits_for_owner', { when: time(expiresAt, TimestampStyles.RelativeTime) }),
  );
}

/** A profile proof's failure, with the next step. Throws any other error. */
export function failedReply(error: unknown, token: string, gameUsername: string): Reply {
  if (error instanceof VerificationFailed && error.attemptsLeft === 0) return lastFailure(error.reason);
  const failed = error instanceof VerificationFailed || (error instanceof AppError && error.code === 'session_expired');
  if (!failed) throw error;
  return note('attention', verbatim(refusalWords(error)), [
    retryButton(t('verify.try_again'), token, gameUsername),
    profileCodeButton(t('verify.other_username'), token),
  ]);
}

function lastFailure(reason: FailureReason): Reply {
  return note('trouble', verbatim(failureTexts(reason, 0).join(' ')), [verifyButton(t('verify.start_again'))]);
}

function profileCodeButton(label: string, ...token: string[]) {
  return pressButton(componentId('profile-code', ...token), label, ButtonStyle.Secondary);
}

function gameCodeButton(label: string, token: string) {
  return pressButton(componentId('game-code', token), label, ButtonStyle.Secondary);
}

function retryButton(label: string, token: string, gameUsername: string) {
  return pressButton(componentId('profile-retry', token, gameUsername), label, ButtonStyle.Secondary);
}
