import Stripe from 'stripe';
import { SandboxFixture } from '../kit/sandbox-fixture.js';
import { type StripeSandbox, startStripeSandbox } from './stripe-sandbox.js';

/** Stripe's sandbox for a suite, and Stripe's own client for it. */
export class StripeFixture extends SandboxFixture<StripeSandbox> {
  constructor({ checked = true }: { checked?: boolean } = {}) {
    super(checked, (watch) => startStripeSandbox({ ...watch, retryGapsMs: [10, 20, 30] }));
  }

  /** A client without retries. */
  client(key = this.sandbox.secretKey): Stripe {
    const { hostname, port } = new URL(this.sandbox.url);
    return new Stripe(key, { protocol: 'http', host: hostname, port, telemetry: false, maxNetworkRetries: 0 });
  }

  /** What Stripe answers, in its own form. */
  async post(path: string, form: string, headers: Record<string, string> = {}) {
    const answer = await fetch(`${this.sandbox.url}${path}`, {
      method: 'POST',
      body: form,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${this.sandbox.secretKey}`,
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
    });
    const text = await answer.text();
    const isJson = (answer.headers.get('content-type') ?? '').includes('json');
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
  }
}
