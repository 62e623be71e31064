import type { Schemas } from '../api/api-types.js';
import type { Words } from '../i18n/words.js';

type Entry = Pick<Schemas['AuditEntry'], 'actor' | 'action' | 'target'>;

/** An entry of the log as a sentence: "ada changed the mapping Officers". */
export function logWords({ actor, action, target }: Entry, { t }: Pick<Words, 't'>): string {
  const name = target.name ?? (target.kind === 'mapping' ? t('log_target.unnamed') : target.id);
  return t(`log.${action}`, { actor: actorName(actor, t), target: name });
}

/** Who did it: a person by their name, and else what did it. */
export function actorName(actor: Entry['actor'], t: Words['t']): string {
  if (actor.kind === 'user') return actor.name;
  return actor.kind === 'bot_token' ? t('actor.bot_token', { name: actor.name }) : t(`actor.${actor.kind}`);
}
