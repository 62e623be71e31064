import { z } from 'zod';
import type { Account } from '../accounts/account-service.js';
import { accountView, viewAccount } from '../accounts/account-view.js';
import { syncResultView } from '../members/member-view.js';
import { viewSyncResult } from '../sync/member/sync-result-view.js';
import type { Completion } from './proof-run.js';
import { verificationView, verifyUrl, viewVerification } from './verification-view.js';

/** A successful proof's result (VER-7). `sync` is null without a guild, and when it will be tried again. */
export const completionView = z
  .strictObject({
    session: verificationView,
    account: accountView,
    sync: syncResultView.nullable(),
  })
  .meta({ id: 'VerificationCompletion' });

/** A proof that waits: for the person, to confirm it at `confirmUrl`, or for the account's owner (VER-10). */
export const heldView = z
  .strictObject({
    session: verificationView,
    confirmUrl: z
      .string()
      .nullable()
      .describe(
        'awaiting_confirmation: the page on which the person confirms or rejects the account. pending: the page on which they choose its use beside their other account',
      ),
  })
  .meta({ id: 'VerificationHeld' });

export function viewHeld({ session }: Completion, token: string): z.input<typeof heldView> {
  const waits = session.isChoosing || session.state === 'awaiting_confirmation';
  const confirmUrl = waits ? verifyUrl(token) : null;
  return { session: viewVerification(session, token), confirmUrl };
}

export function viewCompletion(
  { session, sync }: Completion,
  account: Account,
  token: string,
): z.input<typeof completionView> {
  return {
    session: viewVerification(session, token),
    account: viewAccount(account),
    sync: sync === null ? null : viewSyncResult(sync),
  };
}
