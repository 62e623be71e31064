/** How a person came back from the provider's pages. */
export type BillingOutcome = 'paid' | 'cancelled' | 'portal';

/** What they read then. */
export const returnWords: Readonly<Record<BillingOutcome, { title: string; text: string }>> = {
  paid: {
    title: 'Thank you',
    text: 'Your server has its new plan as soon as the payment is confirmed, as a rule within a minute. You can close this page.',
  },
  cancelled: { title: 'Nothing was bought', text: 'Your server keeps the plan that it has. You can close this page.' },
  portal: { title: 'Done', text: 'Changes to your subscription apply within a minute. You can close this page.' },
};
