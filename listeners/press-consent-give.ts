import { directButton } from '../src/edges/interactions/press.js';
import { consentReply } from '../src/edges/interactions/reply-consent.js';
import { giveConsent } from '../src/features/members/consents.js';

/** "Show my account here", in the server itself or under a direct message. */
export const PressConsentGive = directButton('consent-give', async ({ actor, state: [guildId = ''] }) =>
  consentReply(await giveConsent(guildId, actor)),
);
