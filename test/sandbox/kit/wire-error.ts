import type { Context, Middleware } from 'koa';

/** A refusal in the very form that the provider sends it; thrown by routes and answered by `answerErrors`. */
export class WireError extends Error {
  constructor(
    readonly status: number,
    readonly body: object,
    readonly headers: Readonly<Record<string, string>> = {},
    message = JSON.stringify(body),
  ) {
    super(message);
  }
}

/** Answers thrown refusals and unknown routes. `refusalOf` finds the refusal for any other error, or throws it on. */
export function answerErrors(
  unknownRoute: (ctx: Context) => WireError,
  refusalOf: (error: unknown, ctx: Context) => WireError,
): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body === undefined && ctx.respond !== false) throw unknownRoute(ctx);
    } catch (error) {
      const { headers, status, body } = error instanceof WireError ? error : refusalOf(error, ctx);
      ctx.set(headers);
      ctx.status = status;
      ctx.body = body;
    }
  };
}
