import { z } from 'zod';
import { open } from '../../src/edges/http/access.js';
import { html } from '../../src/edges/http/answer.js';
import { page } from '../../src/edges/http/html-page.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { returnWords } from '../../src/features/billing/return-words.js';
import { markup } from '../../src/lib/html.js';

/** Where Stripe sends people back to. It says nothing of their server, and so needs no sign-in. */
export const BillingReturn = defineRoute({
  endpoint: 'GET /billing/return',
  summary: 'Where the billing provider’s pages lead back to',
  access: open,
  input: { query: z.strictObject({ outcome: z.enum(['paid', 'cancelled', 'portal']).default('portal') }) },
  answers: { 200: 'text/html' },
  page: true,
  handle: ({ query }) => {
    const { title, text } = returnWords[query.outcome];
    return html(page(title, markup`<p>${text}</p>`));
  },
});
