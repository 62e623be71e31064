import { z } from 'zod';
import { gameId } from '../../lib/ids.js';
import { parseGameGroupReference } from '../../platforms/roblox/game-groups.js';

const namesGroup = (text: string): boolean => parseGameGroupReference(text) !== null;

/** A group id, or a group page's address on Roblox. */
export const groupAddress = z.string().max(300);

/** The body of POST …/groups: a group id, or its page address on Roblox (MAP-17). */
export const groupReference = z.union([
  z.strictObject({ groupId: gameId.refine(namesGroup, 'is not the id of a Roblox group') }),
  z.strictObject({ url: groupAddress.refine(namesGroup, 'is not the address of a Roblox group') }),
]);
