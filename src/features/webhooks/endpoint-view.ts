import { z } from 'zod';
import { config } from '../../config/config.js';
import { clock } from '../../lib/clock.js';
import { shownFields } from '../../lib/shown-fields.js';
import { endpointFields, sealedSecret, type WebhookEndpoint } from './endpoint-model.js';
import { inForce } from './endpoint-secrets.js';

/** A long backlog is not counted to its end. */
export const mostCounted = 1_000;

const shownSecret = shownFields(sealedSecret.omit({ sealed: true }));
const secretView = shownSecret.view.meta({ id: 'WebhookSecret' });
const shown = shownFields(endpointFields.omit({ guildId: true, secrets: true }), 'webhookId');

/** An endpoint in answers (HOOK-8). */
export const webhookView = shown.view
  .extend({
    paused: z
      .enum(['plan_limit', 'delivery_held'])
      .nullable()
      .describe(
        'Why it gets nothing although it is on: more are on than the plan allows, or delivery is held back here',
      ),
    secrets: z.array(secretView).describe('Those that sign now, newest first'),
    waiting: z.int().describe(`Deliveries that are to be made or made again; ${mostCounted} stands for more`),
  })
  .meta({ id: 'Webhook' });
type WebhookView = z.input<typeof webhookView>;

/** An endpoint with its new secret, shown once. */
export const webhookWithSecretView = webhookView
  .extend({ secret: z.string().describe('Signs the deliveries. It is shown this once only') })
  .meta({ id: 'WebhookWithSecret' });

export interface EndpointState {
  endpoint: WebhookEndpoint;
  /** Whether the guild's plan allows it; the newest beyond the plan are paused. */
  isWithinPlan: boolean;
  /** Deliveries that are open, up to `mostCounted`. */
  waiting: number;
}

export function viewEndpoint({ endpoint, isWithinPlan, waiting }: EndpointState): WebhookView {
  return {
    ...shown.show(endpoint),
    paused: pauseOf(endpoint, isWithinPlan),
    secrets: inForce(endpoint.secrets, clock.now()).map(shownSecret.show),
    waiting,
  };
}

export function viewWithSecret(state: EndpointState, secret: string): z.input<typeof webhookWithSecretView> {
  return { ...viewEndpoint(state), secret };
}

function pauseOf({ enabled }: WebhookEndpoint, isWithinPlan: boolean): WebhookView['paused'] {
  if (!enabled) return null;
  if (!isWithinPlan) return 'plan_limit';
  return config().webhookDelivery === 'held' ? 'delivery_held' : null;
}
