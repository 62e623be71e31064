import { z } from 'zod';
import { shownFields } from '../../lib/shown-fields.js';
import { type LinkedGroup, linkedGroupFields } from './group-model.js';
import { isRankingOn } from './ranking-rules.js';

const shown = shownFields(linkedGroupFields.omit({ guildId: true, ranking: true }));

/**
 * A group in answers (SYNC-9) with its roles by rank. It is a copy, at most five minutes old unless Roblox fails;
 * `refreshedAt` is its age. `gone`: Roblox no longer knows the group.
 */
export const groupView = shown.view
  .extend({ ranking: z.boolean().describe('Whether Rolelink can change ranks in this group.') })
  .meta({ id: 'Group' });

export const viewGroup = (group: LinkedGroup): z.input<typeof groupView> => ({
  ...shown.show(group),
  ranking: isRankingOn(group.groupId),
});
