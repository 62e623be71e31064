import { expect } from 'chai';
import Stripe from 'stripe';
import { createContractChecker } from '../../contracts/contract-checker.js';
import { type StripeSandbox, startStripeSandbox } from './stripe-sandbox.js';

/** A sandbox that is started before the tests of a suite and stopped behind them, and Stripe's own client for it. */
export class StripeFixture {
  #sandbox: StripeSandbox | undefined;

  get sandbox(): StripeSandbox {
    if (!this.#sandbox) throw new Error('The sandbox is not started yet.');
    return this.#sandbox;
  }

  /** Registers the hooks. Every exchange is held to Stripe's contract, unless `checked` is false. */
  constructor({ checked = true }: { checked?: boolean } = {}) {
    const checker = checked ? createContractChecker() : undefined;
    before(async () => {
      this.#sandbox = await startStripeSandbox({
        ...(checker && { observe: checker.observe }),
        retryGapsMs: [10, 20, 30],
      });
    });
    afterEach(() => {
      this.sandbox.clearFaults();
      expect(checker?.violations ?? []).to.deep.equal([]);
    });
    after(() => this.sandbox.stop());
  }

  /** A client that does not try again by itself. */
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
