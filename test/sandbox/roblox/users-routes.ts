import Router from '@koa/router';
import { z } from 'zod';
import type { RobloxState } from './roblox-state.js';
import type { SandboxGameUser } from './user-directory.js';
import type { WireState } from './wire-context.js';
import { legacyError } from './wire-errors.js';

/** POST /v1/users takes at most 200 ids (Roblox); no number is published for names, so the same is taken. */
const maxBatch = 200;

const byIds = z.object({ userIds: z.array(z.int()), excludeBannedUsers: z.boolean().default(false) });
const byNames = z.object({ usernames: z.array(z.string()), excludeBannedUsers: z.boolean().default(false) });

/** users.roblox.com: one user by id, many by id, many by present or former name. */
export function usersRoutes({ users }: RobloxState): Router<WireState> {
  const router = new Router<WireState>({ prefix: '/users' });

  router.get('/v1/users/:userId', (ctx) => {
    const user = users.find(ctx.params.userId ?? '');
    if (!user) throw legacyError(404, 3, 'The user id is invalid.');
    ctx.body = viewUser(user);
  });

  router.post('/v1/users', (ctx) => {
    const { userIds, excludeBannedUsers } = parse(byIds, ctx.request.body);
    if (userIds.length > maxBatch) throw legacyError(400, 1, 'Too many ids.');
    const found = [...new Set(userIds)].map((id) => users.find(String(id)));
    ctx.body = { data: found.filter((user) => isWanted(user, excludeBannedUsers)).map(viewBasics) };
  });

  router.post('/v1/usernames/users', (ctx) => {
    const { usernames, excludeBannedUsers } = parse(byNames, ctx.request.body);
    if (usernames.length > maxBatch) throw legacyError(400, 2, 'Too many usernames.');
    const data = [...new Set(usernames)].flatMap((requestedUsername) => {
      const user = users.findByName(requestedUsername);
      return isWanted(user, excludeBannedUsers) ? [{ requestedUsername, ...viewBasics(user) }] : [];
    });
    ctx.body = { data };
  });

  return router;
}

function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (!result.success) throw legacyError(400, 0, 'The request body is invalid.');
  return result.data;
}

function isWanted(user: SandboxGameUser | undefined, excludeBanned: boolean): user is SandboxGameUser {
  return user !== undefined && !(excludeBanned && user.banned);
}

function viewBasics(user: SandboxGameUser) {
  return { hasVerifiedBadge: false, id: Number(user.id), name: user.username, displayName: user.displayName };
}

function viewUser(user: SandboxGameUser) {
  return {
    description: user.about,
    created: user.createdAt.toISOString(),
    isBanned: user.banned,
    externalAppDisplayName: null,
    ...viewBasics(user),
  };
}
