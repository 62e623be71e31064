import { directButton } from '../src/edges/interactions/press.js';
import { consentAgain, consentReply } from '../src/edges/interactions/reply-consent.js';
import { findOwnAccount } from '../src/features/accounts/account-service.js';
import { consentIn, giveConsent } from '../src/features/accounts/consents.js';

/** "Show my account here", in the server or in a direct message. It applies to the account that was shown, if any. */
export const PressConsentGive = directButton('consent-give', async ({ actor, state: [guildId = '', shown] }) => {
  const account = shown === undefined ? null : await findOwnAccount(actor.id);
  if (account === null || account.gameUserId === shown) return consentReply(await giveConsent(guildId, actor));
  return consentAgain((await consentIn(guildId, actor.id)).guild, account);
});
