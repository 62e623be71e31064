import { z } from 'zod';
import { accountView, viewAccount } from '../members/account-view.js';
import { syncResultView } from '../members/member-view.js';
import type { Completion } from './proof-run.js';
import { verificationView, viewVerification } from './verification-view.js';

/** The result of a successful proof (SPEC §4). `sync` is null without a guild, and when it will be tried again. */
export const completionView = z
  .strictObject({
    session: verificationView,
    account: accountView,
    sync: syncResultView.nullable(),
  })
  .meta({ id: 'VerificationCompletion' });

export function viewCompletion({ session, account, sync }: Completion, token: string): z.input<typeof completionView> {
  return {
    session: viewVerification(session, token),
    account: viewAccount(account),
    sync: sync === null ? null : { ...sync, nickname: sync.nickname ?? null },
  };
}
