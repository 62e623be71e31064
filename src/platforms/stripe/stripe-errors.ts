import { AppError } from '../../lib/errors.js';

/** The service runs without Stripe (PLAN-15). */
export class BillingNotConfigured extends AppError {
  constructor() {
    super('billing_not_configured', 'Plans cannot be bought here: this service runs without billing.');
  }
}

/**
 * Stripe failed, was slow, or refused the request. `answered`: Stripe did answer, so the same idempotency key would get
 * the same answer again.
 */
export class BillingProviderUnavailable extends AppError {
  constructor(
    readonly answered: boolean,
    options?: ErrorOptions,
  ) {
    super('billing_provider_unavailable', 'Stripe cannot do this right now. Try again later.', {}, options);
  }
}

/** A webhook call without proof that it comes from Stripe. */
export class SignatureInvalid extends AppError {
  constructor(options?: ErrorOptions) {
    super('signature_invalid', 'The Stripe-Signature header does not fit this body.', {}, options);
  }
}
