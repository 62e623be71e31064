import type { AuditEntry } from '../../api/team-queries.js';
import { EntryWords, useEntrySign } from '../../guild/entry-line.js';
import { useLogWords } from '../../guild/log-words.js';
import { useWords } from '../../i18n/words-provider.js';
import { useNow } from '../../parts/now.js';
import css from './overview.module.css';

/** The log's newest entries. A person's new roles stand as they look on Discord. */
export function Feed({ entries }: { entries: readonly AuditEntry[] }) {
  const words = useWords();
  const now = useNow();
  const signOf = useEntrySign(entries);
  const sentenceOf = useLogWords(false);
  return (
    <ul className={css.changes}>
      {entries.map((entry) => (
        <li key={entry.id}>
          {signOf(entry)}
          <span>
            <EntryWords entry={entry} sentence={sentenceOf(entry)} />
          </span>
          <time dateTime={entry.at} title={words.time(entry.at)}>
            {words.ago(entry.at, now)}
          </time>
        </li>
      ))}
    </ul>
  );
}
