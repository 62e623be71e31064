import { z } from 'zod';
import { AppError } from '../../lib/errors.js';
import { refusalWords } from '../../lib/translate-refusal.js';
import { type EventData, eventData } from '../../platforms/events/event-types.js';

/** Why a verification failed (VER-3). */
export const failureReason = z.enum([
  ...eventData['verification.failed'].shape.reason.options,
  'expired',
  'too_many_attempts',
]);
export type FailureReason = z.output<typeof failureReason>;
/** Why one proof did not hold. The other reasons say why no proof was checked. */
export type RejectionReason = EventData<'verification.failed'>['reason'];

/** Each reason in a sentence for the person: on the page, over Discord, and as the detail of the API's refusal. */
export const failureWords: Readonly<Record<FailureReason, string>> = {
  code_not_found:
    'The words were not in the About text of that Roblox profile. Try again with new words, and save them there first.',
  game_account_not_found: 'There is no such Roblox account. Check how you spelled the username.',
  account_too_new: 'This Roblox account is too new for this server. Ask the people who run it, or use an older one.',
  oauth_denied: 'You did not allow the sign-in on Roblox, so nothing was linked.',
  oauth_invalid: 'Roblox did not confirm this sign-in. It may have taken too long, or been used already.',
  game_platform_unavailable: 'Roblox is not answering right now. This did not count as a try; try again in a minute.',
  connection_missing:
    'Your Discord account is not connected to Roblox. Connect it in the settings of Discord, under Connections, and try again.',
  connection_differs:
    'Roblox has another name for the account that your Discord account is connected to. Connect it anew in the settings of Discord.',
  stronger_proof:
    'This Roblox account, or your own, was proved in a stronger way, so a code from a game changes nothing. Prove it in another way.',
  expired: 'The time for this is over. Start again to get a new one.',
  rejected_by_person: 'The person said that this Roblox account is not theirs, so nothing was linked.',
  objected_by_owner:
    'The Discord account that has this Roblox account keeps it. Sign in on Roblox to prove that it is yours.',
  superseded: 'You have linked another Roblox account since, so this one was left where it is.',
  too_many_attempts: 'That was the last of five tries. Begin anew with /verify in Discord.',
};

/** The sentence of a reason in the language of the running code. */
export const failureText = (reason: FailureReason): string =>
  refusalWords(new AppError('verification_failed', failureWords[reason], { reason }));
