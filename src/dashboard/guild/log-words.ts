import type { Schemas } from '../api/api-types.js';
import type { Words } from '../i18n/words.js';

type Entry = Pick<Schemas['AuditEntry'], 'actor' | 'action' | 'target'>;

/** An entry of the log as a sentence: "ada changed the mapping Officers". */
export function logWords({ actor, action, target }: Entry, { t, language }: Pick<Words, 't' | 'language'>): string {
  const name = target.name ?? (target.kind === 'mapping' ? t('log_target.unnamed') : target.id);
  const by = actorName(actor, t);
  const sentence = t(`log.${action}`, { actor: by, target: name });
  // A person's name is written as it is; "the bot token …" begins a sentence.
  if (actor.kind === 'user' || !sentence.startsWith(by)) return sentence;
  return sentence.slice(0, 1).toLocaleUpperCase(language) + sentence.slice(1);
}

/** The actor's name: a person's, else the system's or token's. */
export function actorName(actor: Entry['actor'], t: Words['t']): string {
  if (actor.kind === 'user') return actor.name;
  return actor.kind === 'bot_token' ? t('actor.bot_token', { name: actor.name }) : t(`actor.${actor.kind}`);
}
