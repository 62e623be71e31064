import { directButton } from '../src/edges/interactions/press.js';
import { consentReply } from '../src/edges/interactions/replies/reply-consent.js';
import { withdrawConsent } from '../src/features/accounts/consents.js';

/** "Hide my account here", in the server or in a direct message. */
export const PressConsentRefuse = directButton('consent-refuse', async ({ actor, state: [guildId = ''] }) =>
  consentReply(await withdrawConsent(guildId, actor)),
);
