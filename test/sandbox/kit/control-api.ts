import type Router from '@koa/router';
import { koaBody } from 'koa-body';
import { z } from 'zod';
import { problemText } from './page-form.js';

/** One thing that can be done to a sandbox from outside: what it takes, and how it is done. */
export interface ControlVerb<Sandbox> {
  readonly input: z.ZodObject;
  readonly run: (sandbox: Sandbox, input: unknown) => unknown;
}

/** Gives the way to write the verbs for one sandbox kind: the shape of the input, then what is done with it. */
export function verbsOf<Sandbox>() {
  return <Shape extends z.ZodRawShape>(
    shape: Shape,
    run: (sandbox: Sandbox, input: z.output<z.ZodObject<Shape, z.core.$strict>>) => unknown,
  ): ControlVerb<Sandbox> => {
    const input = z.strictObject(shape);
    return { input, run: (sandbox, body) => run(sandbox, input.parse(body)) };
  };
}

/** The input to the verb `inject-fault`. */
export const faultShape = {
  match: z.string().transform((source) => new RegExp(source)),
  times: z.int().min(1).exactOptional(),
  delayMs: z.int().min(0).exactOptional(),
  status: z.int().min(400).max(599).exactOptional(),
  retryAfter: z.number().min(0).exactOptional(),
  dropSocket: z.boolean().exactOptional(),
  when: z.enum(['before', 'after']).exactOptional(),
};

/** Steers a sandbox over HTTP: GET /sandbox lists the verbs, POST /sandbox/{verb} does one, GET /sandbox/state shows. */
export function controlApi<Sandbox>(
  router: Router,
  sandbox: Sandbox,
  verbs: Readonly<Record<string, ControlVerb<Sandbox>>>,
  describeState: () => object,
): void {
  router.get('/sandbox', (ctx) => {
    ctx.body = Object.entries(verbs).map(([verb, { input }]) => ({
      request: `POST /sandbox/${verb}`,
      body: z.toJSONSchema(input, { io: 'input' }),
    }));
  });

  router.get('/sandbox/state', (ctx) => {
    ctx.body = describeState();
  });

  router.post('/sandbox/:verb', koaBody(), async (ctx) => {
    const verb = verbs[ctx.params.verb ?? ''];
    if (!verb) {
      ctx.status = 404;
      ctx.body = { error: 'There is no such verb; GET /sandbox lists them.' };
      return;
    }
    try {
      const result = await verb.run(sandbox, ctx.request.body ?? {});
      ctx.status = result === undefined ? 204 : 200;
      if (result !== undefined) ctx.body = result;
    } catch (error) {
      ctx.status = 400;
      ctx.body = { error: problemText(error) };
    }
  });
}
