import Router from '@koa/router';
import { z } from 'zod';
import { headshotUrl } from './headshot-image.js';
import type { RobloxState } from './roblox-state.js';
import type { WireState } from './wire-context.js';
import { legacyError } from './wire-errors.js';

const maxIds = 100;

/** The square sizes in pixels that Roblox makes. */
export const headshotSizes = [48, 50, 60, 75, 100, 110, 150, 180, 352, 420, 720];

const sizes = headshotSizes.map((pixels) => `${pixels}x${pixels}`);
const format = z.enum(['Png', 'Jpeg', 'Webp']).default('Png');

/** thumbnails.roblox.com: head pictures for up to 100 users. */
export function thumbnailsRoutes(state: RobloxState, origin: string): Router<WireState> {
  const router = new Router<WireState>({ prefix: '/thumbnails' });

  router.get('/v1/users/avatar-headshot', (ctx) => {
    const query = ctx.URL.searchParams;
    const ids = (query.get('userIds') ?? '').split(',');
    if (ids.length > maxIds) throw legacyError(400, 1, 'There are too many requested Ids.');
    if (!ids.every((id) => /^\d+$/.test(id))) throw legacyError(400, 4, 'The requested Ids are invalid or missing.');
    if (!format.safeParse(query.get('format') ?? undefined).success) {
      throw legacyError(400, 2, 'The requested image format is invalid.');
    }
    const size = query.get('size') ?? '48x48';
    if (!sizes.includes(size)) throw legacyError(400, 3, 'The requested size is invalid.');
    ctx.body = { data: ids.map((id) => viewHeadshot(id, state.users.find(id) && headshotUrl(origin, id))) };
  });

  return router;
}

/** A user who does not exist, or whose picture is blocked, has a state and an empty URL instead of an error. */
function viewHeadshot(id: string, url: string | undefined) {
  return { targetId: Number(id), state: url ? 'Completed' : 'Blocked', imageUrl: url ?? '', version: 'TN3' };
}
