import { z } from 'zod';
import { GamePlatformUnavailable } from '../../lib/errors.js';
import { readRoblox } from './roblox-http.js';
import { isRobloxId } from './roblox-id.js';

const headshots = z.object({ data: z.array(z.object({ targetId: z.number(), imageUrl: z.string().nullable() })) });

/** The address of an account's head picture, 150 pixels square; null when Roblox has none or does not answer. */
export async function readHeadshot(gameUserId: string): Promise<string | null> {
  if (!isRobloxId(gameUserId)) return null;
  try {
    const { data } = await readRoblox({
      host: 'thumbnails',
      path: '/v1/users/avatar-headshot',
      query: { userIds: gameUserId, size: '150x150', format: 'Png' },
      answer: headshots,
      patience: { totalMs: 2_000, attempts: 1 },
    });
    return data.find(({ targetId }) => String(targetId) === gameUserId)?.imageUrl || null;
  } catch (error) {
    if (error instanceof GamePlatformUnavailable) return null;
    throw error;
  }
}
