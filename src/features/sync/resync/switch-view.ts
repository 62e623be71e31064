import { z } from 'zod';
import { timestamp } from '../../../lib/fields.js';
import { nicknameObstacle } from '../../../platforms/discord/role-hierarchy.js';
import { blockedRole } from '../../members/member-sync-fields.js';
import type { SwitchStatus } from './switch-service.js';

const count = z.int().nonnegative();

const refusedView = z
  .strictObject({
    memberId: z.string(),
    chatUsername: z.string(),
    roles: z.array(blockedRole).describe("The roles that can't be given back or taken, with the reason."),
    nickname: nicknameObstacle.nullable().describe('The obstacle of the former nickname.'),
  })
  .meta({ id: 'RefusedUndo' });

/** A guild's latest switch from observing to enforcing (OBS-12). */
export const switchView = z
  .strictObject({
    jobId: z.string().describe('The resync that made it.'),
    at: timestamp,
    state: z.enum(['made', 'undoing', 'undone']),
    undoableUntil: timestamp,
    changed: count.describe('Changed members that are not restored yet.'),
    putBack: count,
    kept: z.array(z.string()).describe('Members that stay unchanged, since they were changed later or left.'),
    refused: z.array(refusedView).describe('Members that could not be put back, wholly or in part, and why.'),
  })
  .meta({ id: 'Switch' });

export function viewSwitch({ switched, undo, undoableUntil, changed, undone, kept, refused }: SwitchStatus) {
  const state = undo === null ? ('made' as const) : undo.open === true ? ('undoing' as const) : ('undone' as const);
  return {
    ...{ jobId: switched._id, at: switched.liveAt.toISOString(), state, undoableUntil: undoableUntil.toISOString() },
    ...{ changed, putBack: undone, kept },
    refused: refused.map(({ chatUserId, chatUsername, blocked, nicknameBlocked = null }) => ({
      ...{ memberId: chatUserId, chatUsername, roles: blocked, nickname: nicknameBlocked },
    })),
  };
}
