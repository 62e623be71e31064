import type Router from '@koa/router';
import { z } from 'zod';
import { CallWindows } from '../kit/call-windows.js';
import { anyId } from './api-key.js';
import type { RobloxState } from './roblox-state.js';
import type { WireState } from './wire-context.js';
import { cloudError } from './wire-errors.js';

const scope = 'universe-messaging-service:publish';

/** Roblox counts the message in bytes (cloud/guides/usage-messaging). */
const publication = z.object({
  topic: z.string().min(1).max(80),
  message: z.string().refine((text) => Buffer.byteLength(text) <= 1_024),
});

const windowSeconds = 60;
const perMinute = (players: number): number => 50 + 5 * players;

/** POST /cloud/v2/universes/{universe}:publishMessage. Each universe takes messages by its number of players. */
export function universeRoutes(router: Router<WireState>, state: RobloxState): void {
  const windows = new CallWindows();
  router.post('/universes/:universeId\\:publishMessage', (ctx) => {
    const { universes, key } = state;
    const universeId = ctx.params.universeId ?? '';
    const isChosen = [universeId, anyId].some((id) => key.universeIds.includes(id));
    if (!key.scopes.includes(scope) || !isChosen)
      throw cloudError(403, 'The request requires higher privileges than provided.');
    const universe = universes.find(universeId);
    if (!universe) throw cloudError(404, 'The universe could not be found.');
    if (universe.ownerId !== key.accountId) throw cloudError(403, 'Insufficient permissions to complete the request.');
    const wish = publication.safeParse(ctx.request.body);
    if (!wish.success) throw cloudError(400, 'The message is invalid.');
    const limit = perMinute(universe.players);
    const { over, secondsLeft } = windows.count(universe.id, { limit, seconds: windowSeconds });
    if (over) throw cloudError(429, 'Too many requests', { 'retry-after': String(Math.ceil(secondsLeft)) });
    universes.publish(universe.id, wish.data.topic, wish.data.message);
    ctx.status = 200;
    ctx.body = '';
    ctx.remove('content-type');
  });
}
