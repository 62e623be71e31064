import { z } from 'zod';
import { open } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { returnWords } from '../../src/features/billing/return-words.js';
import { html } from '../../src/lib/answer.js';
import { markup } from '../../src/lib/html.js';
import { page } from '../../src/lib/page.js';

const input = { query: z.strictObject({ outcome: z.enum(['paid', 'cancelled', 'portal']).default('portal') }) };

/** Where Stripe sends people back to. It says nothing of their server, and so needs no sign-in. */
export class BillingReturn extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /billing/return',
      summary: 'Where the billing provider’s pages lead back to',
      access: open,
      input,
      answers: { 200: 'text/html' },
      page: true,
    });
  }

  override handle({ query }: Request<typeof input>) {
    const { title, text } = returnWords[query.outcome];
    return html(page(title, markup`<p>${text}</p>`));
  }
}
