import { z } from 'zod';
import { optionalLine } from '../../lib/fields.js';
import { eventName } from '../../platforms/events/event-types.js';

const fields = {
  url: z
    .string()
    .max(2048)
    .describe('https, without user name, password and fragment; it must lead to a public address'),
  events: z
    .array(eventName)
    .min(1)
    .max(eventName.options.length)
    .refine((names) => new Set(names).size === names.length, 'must not name an event twice'),
  description: optionalLine(200),
  enabled: z.boolean(),
};

/** The body of POST …/webhooks (HOOK-22). */
export const endpointDraft = z
  .strictObject({ ...fields, description: fields.description.default(null), enabled: fields.enabled.default(true) })
  .meta({ id: 'WebhookDraft' });
export type EndpointDraft = z.output<typeof endpointDraft>;

/** The body of PATCH …/webhooks/:webhookId. A missing field stays as it is. */
export const endpointChange = z.strictObject(fields).partial().meta({ id: 'WebhookChange' });
export type EndpointChange = z.output<typeof endpointChange>;
