import type { z } from 'zod';
import type { syncResultView } from '../../members/member-view.js';
import type { SyncResult } from './sync-result.js';

/** A sync's result in an API answer, without the parts that only the person sees. */
export function viewSyncResult(result: SyncResult): z.input<typeof syncResultView> {
  const {
    added,
    removed,
    nickname = null,
    blocked,
    nicknameBlocked,
    nicknameRefused,
    waitsForRules,
    leftOut,
    observed,
  } = result;
  const refused = nicknameRefused === undefined ? {} : { nicknameRefused };
  const held = { ...(waitsForRules && { waitsForRules }), ...(leftOut && { leftOut }), ...(observed && { observed }) };
  return { added, removed, nickname, blocked, nicknameBlocked, ...refused, ...held };
}
