import { z } from 'zod';
import { timestamp } from '../../lib/fields.js';
import { shownFields } from '../../lib/shown-fields.js';
import { dayMs } from '../../lib/time.js';
import { type RankChange, rankChangeFields } from './rank-change-model.js';
import { isUndoable } from './rank-service.js';

const shown = shownFields(
  rankChangeFields.omit({ guildId: true, chatUserId: true, by: true, dueAt: true }),
  'changeId',
);

/** A change of a rank in answers. */
export const rankChangeView = shown.view
  .extend({
    memberId: z.string().nullable().describe('The member, if the account is linked here.'),
    undoableUntil: timestamp.nullable().describe('Until when it can be taken back; null: not at all.'),
  })
  .meta({ id: 'RankChange' });

export const viewRankChange = (change: RankChange): z.input<typeof rankChangeView> => ({
  ...shown.show(change),
  memberId: change.chatUserId ?? null,
  undoableUntil: isUndoable(change) ? new Date(change.at.getTime() + dayMs).toISOString() : null,
});

export const ownRankChanges = shownFields(
  rankChangeFields.pick({
    groupId: true,
    gameUserId: true,
    at: true,
    state: true,
    before: true,
    after: true,
    reason: true,
  }),
);
