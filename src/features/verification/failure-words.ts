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

/** Each reason in a sentence for the person: on the page, over Discord, and as the API refusal's detail. */
export const failureWords: Readonly<Record<FailureReason, string>> = {
  code_not_found:
    "The words weren't in the About section of that Roblox profile. Try again with new words, and save them there first.",
  game_account_not_found: "This Roblox account doesn't exist. Check the spelling of the username.",
  account_too_new: 'This Roblox account is too new for this server. Ask the people who run it, or use an older one.',
  oauth_denied: "You didn't allow the sign-in on Roblox, so nothing was linked.",
  oauth_invalid: "Roblox didn't confirm this sign-in. It may have taken too long, or was already used.",
  game_platform_unavailable: "Roblox isn't answering right now. This didn't count as a try. Try again in a minute.",
  connection_missing:
    "Your Discord account isn't connected to Roblox. Connect it in User Settings → Connections on Discord, then try again.",
  connection_differs:
    'The Roblox account connected to your Discord account has a different name now. Connect it again in User Settings → Connections on Discord.',
  stronger_proof:
    'This Roblox account, or your current one, was verified in a stronger way than a game code. Verify in another way.',
  expired: 'This has expired. Start over to get a new one.',
  rejected_by_person: "The person said that this Roblox account isn't theirs, so nothing was linked.",
  objected_by_owner:
    "The Discord account linked to this Roblox account keeps it. Sign in to Roblox to prove that it's yours.",
  superseded: "You have linked another Roblox account since, so this one wasn't moved.",
  too_many_attempts: 'That was the last of five tries. Start over with /verify in Discord.',
};

export const failureText = (reason: FailureReason): string =>
  refusalWords(new AppError('verification_failed', failureWords[reason], { reason }));

/** The failure in sentences, where the last says that no try is left. */
export function failureTexts(reason: FailureReason, attemptsLeft: number): string[] {
  const reasons = new Set<FailureReason>(attemptsLeft === 0 ? [reason, 'too_many_attempts'] : [reason]);
  return [...reasons].map(failureText);
}
