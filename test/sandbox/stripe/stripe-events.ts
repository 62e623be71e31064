import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExchangeObserver } from '../kit/exchange.js';
import { stripeId, unixNow } from './stripe-objects.js';

export type EventName =
  | 'checkout.session.completed'
  | 'customer.subscription.created'
  | 'customer.subscription.updated'
  | 'customer.subscription.deleted'
  | 'invoice.paid'
  | 'invoice.payment_failed';

/** An event, with the bytes that are signed and sent: the same at every attempt. */
export interface SandboxEvent {
  id: string;
  type: string;
  body: string;
  /** The answers' statuses so far, oldest first; 0 where there was none. */
  answers: number[];
}

export interface StripeEventsOptions {
  secret: string;
  /** Gaps before the second, third … attempt, in milliseconds. Stripe's own are hours. */
  retryGapsMs?: readonly number[];
  /** Sees each event that is sent, as if its type were a path on the host `webhooks`. */
  observe?: ExchangeObserver;
}

/** The API version that events say they are in: the webhook endpoint's. */
const apiVersion = '2026-10-28.endive';

/** Sends signed events to a webhook endpoint, and again until it answers 2xx; or as a test configures it. */
export class StripeEvents {
  /** Everything that happened, oldest first. */
  readonly all: SandboxEvent[] = [];
  readonly #options: StripeEventsOptions;
  readonly #stopping = new AbortController();
  #webhookUrl: string | undefined;
  #held = false;

  constructor(options: StripeEventsOptions) {
    this.#options = options;
  }

  emit(name: EventName, object: object, previous?: object): void {
    const id = stripeId('evt');
    const data = { object, ...(previous !== undefined && { previous_attributes: previous }) };
    const body = JSON.stringify({
      id,
      object: 'event',
      api_version: apiVersion,
      created: unixNow(),
      data,
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type: name,
    });
    const event = { id, type: name, body, answers: [] };
    this.all.push(event);
    if (!this.#held && this.#webhookUrl !== undefined) void this.#sendUntilTaken(event);
  }

  /** Registers the webhook endpoint. Events go nowhere before. */
  sendTo(webhookUrl: string): void {
    this.#webhookUrl = webhookUrl;
  }

  /** From now on events wait until `deliver` is called for each, in any order and number. */
  hold(): void {
    this.#held = true;
  }

  /** From now on events are sent as they happen; those that were held are not. */
  release(): void {
    this.#held = false;
  }

  /** Sends an event once. @returns the answer's status, 0 when there was none. */
  async deliver(event: SandboxEvent): Promise<number> {
    if (this.#webhookUrl === undefined) return 0;
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      'stripe-signature': this.sign(event.body),
    };
    const { signal } = this.#stopping;
    const request = { method: 'POST', headers, body: event.body, redirect: 'manual', signal } as const;
    const answer = await fetch(this.#webhookUrl, request).catch(() => null);
    await answer?.body?.cancel();
    const status = answer?.status ?? 0;
    event.answers.push(status);
    if (answer) this.#show(event, headers, status);
    return status;
  }

  /** A body's `Stripe-Signature`; `at` in unix seconds. Several secrets sign while one is being rolled. */
  sign(body: string, at = unixNow(), secrets: readonly string[] = [this.#options.secret]): string {
    const signatures = secrets.map(
      (secret) => `v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`,
    );
    return [`t=${at}`, ...signatures].join(',');
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #sendUntilTaken(event: SandboxEvent): Promise<void> {
    const { retryGapsMs = [250, 1_000, 5_000] } = this.#options;
    const { signal } = this.#stopping;
    for (const gap of [0, ...retryGapsMs]) {
      await delay(gap, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const status = await this.deliver(event);
      if (status >= 200 && status < 300) return;
    }
  }

  #show({ type, body }: SandboxEvent, requestHeaders: Record<string, string>, status: number): void {
    this.#options.observe?.({
      provider: 'stripe',
      host: 'webhooks',
      method: 'POST',
      path: `/${type}`,
      query: new URLSearchParams(),
      requestHeaders,
      requestBody: JSON.parse(body),
      status,
      responseHeaders: {},
      responseBody: undefined,
    });
  }
}
