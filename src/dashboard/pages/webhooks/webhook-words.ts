import type { Schemas } from '../../../client/api-types.js';
import type { Attempt, Delivery, Webhook } from '../../api/webhook-queries.js';
import type { Words } from '../../i18n/words.js';
import type { Tone } from '../../parts/state-word.js';

/** The events in their order of choice: the compiler asks for a new one. */
const eventOrder: Readonly<Record<Webhook['events'][number], true>> = {
  'verification.completed': true,
  'verification.failed': true,
  'member.unlinked': true,
  'role.synced': true,
  'role.sync_failed': true,
  'guild.suspended': true,
};
export const events = Object.keys(eventOrder) as (keyof typeof eventOrder)[];

export const deliveryStates = ['pending', 'retrying', 'succeeded', 'failed'] as const;

/** Whether an endpoint gets nothing: it is off, or the service holds its deliveries. */
export const isStopped = ({ enabled, paused }: Webhook): boolean => !enabled || paused !== null;

/** An endpoint's state in a word. It is failing from when the server's health says so; before, it is retried. */
export function standingOf(
  webhook: Webhook,
  health: readonly Schemas['HealthIssue'][],
  { t }: Pick<Words, 't'>,
): { word: string; tone: Tone } {
  const { webhookId, enabled, disabledReason, paused, failingSince } = webhook;
  if (disabledReason !== null) return { word: t(`webhook.off_${disabledReason}`), tone: 'bad' };
  if (!enabled) return { word: t('webhook.off'), tone: 'quiet' };
  if (paused !== null) return { word: t(`webhook.paused_${paused}`), tone: 'warn' };
  if (failingSince === null) return { word: t('webhook.on'), tone: 'good' };
  const isFailing = health.some((issue) => issue.code === 'webhook_failing' && issue.webhookId === webhookId);
  return { word: t(isFailing ? 'webhook.failing' : 'delivery.retrying'), tone: 'warn' };
}

export const toneOfState: Readonly<Record<Delivery['state'], Tone>> = {
  pending: 'quiet',
  retrying: 'warn',
  succeeded: 'good',
  failed: 'bad',
};

/** How an attempt ended: "HTTP 500", "timed out". */
export function outcomeWords(
  { outcome, status }: Pick<Attempt, 'outcome' | 'status'>,
  { t }: Pick<Words, 't'>,
): string {
  if (status !== null && outcome !== 'redirect') return `HTTP ${status}`;
  return t(`outcome.${outcome}`, { status: status ?? 0 });
}

/** A JSON text with line breaks; another text as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
