import { z } from 'zod';
import { open } from '../../src/edges/http/access.js';
import { html } from '../../src/edges/http/answer.js';
import { page } from '../../src/edges/http/pages/html-page.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { billingOutcome } from '../../src/features/billing/checkout-service.js';
import { markup } from '../../src/lib/html.js';
import { t } from '../../src/lib/translate.js';

/** The page Stripe returns people to. It shows no server data, so it needs no sign-in. */
export const BillingReturn = defineRoute({
  endpoint: 'GET /billing/return',
  summary: "Where the billing provider's pages lead back to",
  access: open,
  input: { query: z.strictObject({ outcome: billingOutcome.default('portal') }) },
  answers: { 200: 'text/html' },
  page: true,
  handle: ({ query }) => {
    const text = `page.billing.${query.outcome}` as const;
    return html(
      page(
        t(text),
        markup`<p>${t(`${text}.text`)}</p>
<p><a class="button plain" href="/g">${t('page.to_servers')}</a></p>`,
      ),
    );
  },
});
