import type { Schemas } from '../../client/api-types.js';
import type { Words } from '../i18n/words.js';
import { useWords } from '../i18n/words-provider.js';
import type { NameOf } from './change-words.js';
import { useRoleOrMappingName } from './use-name-of.js';

type Entry = Pick<Schemas['AuditEntry'], 'actor' | 'action' | 'target' | 'changes'>;

/** Puts log entries into sentences with the server's present names. `asks`: for mappings' names too. */
export function useLogWords(asks = true): (entry: Entry) => string {
  const words = useWords();
  const nameOf = useRoleOrMappingName(asks);
  return (entry) => logWords(entry, words, nameOf);
}

/** A log entry as a sentence: "ada changed the mapping Officers". */
function logWords(entry: Entry, words: Pick<Words, 't' | 'language' | 'list'>, nameOf: NameOf): string {
  const { actor, action, target } = entry;
  const { t, language } = words;
  const name = target.name ?? (target.kind === 'mapping' ? mappingName(entry, words, nameOf) : target.id);
  const by = actorName(actor, t);
  const sentence = t(`log.${action}`, { actor: by, target: name });
  // A person's name is written as it is; "the bot token …" begins a sentence.
  if (actor.kind === 'user' || !sentence.startsWith(by)) return sentence;
  return sentence.slice(0, 1).toLocaleUpperCase(language) + sentence.slice(1);
}

/** A mapping without a name is called by its roles, the entry's before today's. */
function mappingName({ target, changes }: Entry, { t, list }: Pick<Words, 't' | 'list'>, nameOf: NameOf): string {
  const { from, to } = changes.roleIds ?? {};
  const roleIds = [to, from].find((ids) => Array.isArray(ids) && ids.length > 0);
  if (!Array.isArray(roleIds)) return nameOf(target.id) || t('log_target.unnamed');
  return list(roleIds.map((id) => nameOf(String(id)) ?? t('role_name.gone')));
}

/** The actor's name: a person's, else the system's or token's. */
export function actorName(actor: Entry['actor'], t: Words['t']): string {
  if (actor.kind === 'user') return actor.name;
  return actor.kind === 'bot_token' ? t('actor.bot_token', { name: actor.name }) : t(`actor.${actor.kind}`);
}
