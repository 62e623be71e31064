import type Router from '@koa/router';
import { koaBody } from 'koa-body';
import { z } from 'zod';
import { controlVerbs } from './control-verbs.js';
import type { SandboxCore } from './sandbox-core.js';

/** How many members of a guild `GET /sandbox/state` shows; a guild may have a hundred thousand. */
const shownMembers = 100;

/**
 * Steers the sandbox over HTTP: GET /sandbox lists the verbs, POST /sandbox/{verb} does one, GET /sandbox/state shows.
 */
export function controlApi(router: Router, core: SandboxCore): void {
  router.get('/sandbox', (ctx) => {
    ctx.body = Object.entries(controlVerbs).map(([verb, { input }]) => ({
      request: `POST /sandbox/${verb}`,
      body: z.toJSONSchema(input, { io: 'input' }),
    }));
  });

  router.get('/sandbox/state', (ctx) => {
    ctx.body = describeState(core);
  });

  router.post('/sandbox/:verb', koaBody(), async (ctx) => {
    const verb = controlVerbs[ctx.params.verb ?? ''];
    if (!verb) {
      ctx.status = 404;
      ctx.body = { error: 'There is no such verb; GET /sandbox lists them.' };
      return;
    }
    try {
      const result = await verb.run(core, ctx.request.body ?? {});
      ctx.status = result === undefined ? 204 : 200;
      if (result !== undefined) ctx.body = result;
    } catch (error) {
      ctx.status = 400;
      ctx.body = { error: error instanceof z.ZodError ? z.prettifyError(error) : String(error) };
    }
  });
}

function describeState({ state, log }: SandboxCore) {
  return {
    application: { id: state.application.id, name: state.application.name },
    users: [...state.users.values()].slice(0, shownMembers),
    guilds: [...state.guilds.values()].map((guild) => ({
      id: guild.id,
      name: guild.name,
      ownerId: guild.ownerId,
      channelId: guild.channelId,
      hasBot: state.hasBot(guild),
      roles: [...guild.roles.values()].map((role) => ({ ...role, permissions: role.permissions.toString() })),
      memberCount: guild.members.size,
      members: [...guild.members.values()].slice(0, shownMembers),
      messages: [...state.channel(guild.channelId).messages.values()],
      auditLog: guild.audit,
    })),
    requests: log.requests.length,
    invalidRequests: log.invalid,
  };
}
