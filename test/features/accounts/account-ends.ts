import { Accounts } from '../../../src/features/accounts/account-model.js';
import { emptyOutboxes } from '../../support/background.js';
import { eventually } from '../../support/build.js';

/** Waits until nothing of an account is stored. The relay removes an account with a filled outbox. */
export async function accountEnds(id: string): Promise<void> {
  await eventually(async () => {
    await emptyOutboxes();
    return (await Accounts.exists({ _id: id })) === null;
  }, 'the end of the account');
}
