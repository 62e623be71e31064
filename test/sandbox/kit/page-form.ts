import type Router from '@koa/router';
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { z } from 'zod';
import { type Html, html } from './html.js';

/**
 * Takes what a page's form sends: `act` does it, and sends the answer or names the page to go on to. What it throws is
 * put on the page again by `render`.
 */
export function pageForm(
  router: Router,
  path: string,
  act: (body: unknown, ctx: Context) => string | undefined | Promise<string | undefined>,
  render: (problem: string, ctx: Context) => string | undefined,
): void {
  router.post(path, koaBody(), async (ctx) => {
    try {
      const next = await act(ctx.request.body, ctx);
      if (next !== undefined) seeOther(ctx, next);
    } catch (error) {
      ctx.status = 422;
      ctx.body = render(problemText(error), ctx);
    }
  });
}

/** Redirects the browser to `url` with a GET, after any method. */
export function seeOther(ctx: Context, url: string): void {
  ctx.redirect(url);
  ctx.status = 303;
}

/** What went wrong, in words for a person. */
export function problemText(error: unknown): string {
  return error instanceof z.ZodError ? error.issues.map(problemOf).join('\n') : String(error);
}

/** An issue with its place, which for an unknown field is its name. */
function problemOf({ path, message, ...issue }: z.core.$ZodIssue): string {
  const names = issue.code === 'unrecognized_keys' ? issue.keys.join(', ') : '';
  return [path.join('.'), names, message].filter((part) => part !== '').join(' ');
}

/** The problem as an alert on the page; nothing where there is none. */
export function alert(problem: string | undefined): Html[] {
  return problem === undefined ? [] : [html`<p role="alert">${problem}</p>`];
}

/** One choice in a select. */
export function option(value: string, text: string, chosen = false): Html {
  return chosen
    ? html`<option value="${value}" selected>${text}</option>`
    : html`<option value="${value}">${text}</option>`;
}
