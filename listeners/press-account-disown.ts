import { directButton } from '../src/edges/interactions/press.js';
import { say } from '../src/edges/interactions/replies/reply.js';
import { disownAccount } from '../src/features/accounts/account-disowning.js';
import { t } from '../src/lib/translate.js';

/** "It was not me", in the message about an account change made by another person. */
export const PressAccountDisown = directButton('account-disown', async ({ actor, state: [gameUserId = ''] }) =>
  say(t((await disownAccount(gameUserId, actor)) ? 'notice.unlinked' : 'notice.take_back')),
);
