import { shownFields } from '../../lib/shown-fields.js';
import { linkedGroupFields } from './group-model.js';

const shown = shownFields(linkedGroupFields.omit({ guildId: true, ranking: true }));

/**
 * A group in answers (SYNC-9) with its roles by rank. It is a copy, at most five minutes old unless Roblox fails;
 * `refreshedAt` is its age. `gone`: Roblox no longer knows the group.
 */
export const groupView = shown.view.meta({ id: 'Group' });
export const viewGroup = shown.show;
