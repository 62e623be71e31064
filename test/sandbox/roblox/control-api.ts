import type Router from '@koa/router';
import { koaBody } from 'koa-body';
import { z } from 'zod';
import { controlVerbs } from './control-verbs.js';
import type { RobloxSandbox } from './roblox-sandbox.js';
import type { RobloxState } from './roblox-state.js';

/** How many users `GET /sandbox/state` shows; a sandbox may hold a hundred thousand. */
const shownUsers = 100;

/** Steers the sandbox over HTTP: GET /sandbox lists the verbs, POST /sandbox/{verb} does one, GET /sandbox/state shows. */
export function controlApi(router: Router, sandbox: RobloxSandbox, state: RobloxState): void {
  router.get('/sandbox', (ctx) => {
    ctx.body = Object.entries(controlVerbs).map(([verb, { input }]) => ({
      request: `POST /sandbox/${verb}`,
      body: z.toJSONSchema(input, { io: 'input' }),
    }));
  });

  router.get('/sandbox/state', (ctx) => {
    ctx.body = {
      userCount: state.users.size,
      users: state.users.list(shownUsers).map((user) => ({ ...user, groups: membershipsOf(state, user.id) })),
      groups: state.groups.list().map((group) => ({ ...group, memberCount: group.memberCount })),
    };
  });

  router.post('/sandbox/:verb', koaBody(), (ctx) => {
    const verb = controlVerbs[ctx.params.verb ?? ''];
    if (!verb) return;
    try {
      const result = verb.run(sandbox, ctx.request.body ?? {});
      ctx.status = result === undefined ? 204 : 200;
      if (result !== undefined) ctx.body = result;
    } catch (error) {
      ctx.status = 400;
      ctx.body = { error: error instanceof z.ZodError ? z.prettifyError(error) : String(error) };
    }
  });
}

function membershipsOf(state: RobloxState, userId: string) {
  return state.groups.groupsOf(userId).map((group) => ({
    groupId: group.id,
    roles: group.findMember(userId)?.roles.map(({ name, rank }) => ({ name, rank })),
  }));
}
