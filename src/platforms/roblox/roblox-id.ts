import { z } from 'zod';
import { gameId } from '../../lib/ids.js';

/** An id in an older host's answer, where ids are JSON numbers; parsed to a decimal string. */
export const robloxId = z.int().positive().transform(String);

/** Whether Roblox could have an account or group with this id; ids past 2^53 do not fit its JSON numbers. */
export function isRobloxId(text: string): boolean {
  return gameId.safeParse(text).success && Number.isSafeInteger(Number(text));
}
