import type { Attempt, Delivery, Webhook } from '../../api/webhook-queries.js';
import type { Words } from '../../i18n/words.js';

export const events = [
  'verification.completed',
  'verification.failed',
  'member.unlinked',
  'role.synced',
  'role.sync_failed',
  'guild.suspended',
] as const;

export const deliveryStates = ['pending', 'retrying', 'succeeded', 'failed'] as const;

/** How an endpoint stands, and the colour of it; the word says it all. */
export function standingOf(webhook: Webhook, { t }: Pick<Words, 't'>): { word: string; color: string } {
  const { enabled, disabledReason, paused, failingSince } = webhook;
  if (disabledReason !== null) return { word: t(`webhook.off_${disabledReason}`), color: 'red' };
  if (!enabled) return { word: t('webhook.off'), color: 'gray' };
  if (paused !== null) return { word: t(`webhook.paused_${paused}`), color: 'yellow' };
  return failingSince === null
    ? { word: t('webhook.on'), color: 'teal' }
    : { word: t('webhook.failing'), color: 'orange' };
}

export const colorOfState: Readonly<Record<Delivery['state'], string>> = {
  pending: 'gray',
  retrying: 'yellow',
  succeeded: 'teal',
  failed: 'red',
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
