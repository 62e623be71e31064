import { directButton } from '../src/edges/interactions/press.js';
import { consentAgain, consentReply } from '../src/edges/interactions/replies/reply-consent.js';
import { findAccountIn } from '../src/features/accounts/account-service.js';
import { consentIn, giveConsent } from '../src/features/accounts/consents.js';

/** "Show my account here", in the server or in a direct message. It applies to the account that was shown, if any. */
export const PressConsentGive = directButton('consent-give', async ({ actor, state: [guildId = '', shown] }) => {
  if (shown !== undefined) {
    const { guild, member } = await consentIn(guildId, actor.id);
    const account = await findAccountIn(member);
    if (account !== null && account.gameUserId !== shown) return consentAgain(guild, account);
  }
  return consentReply(await giveConsent(guildId, actor));
});
