import type { AuditEntry } from '../../api/team-queries.js';
import { iconOf } from '../../guild/log-icons.js';
import { useLogWords } from '../../guild/log-words.js';
import { PersonPicture, usePictures } from '../../guild/pictures.js';
import { RoleChips } from '../../guild/role-names.js';
import { useWords } from '../../i18n/words-provider.js';
import { Icon } from '../../parts/icon.js';
import { useNow } from '../../parts/now.js';
import css from './overview.module.css';

/** The newest entries of the log. A person's new roles stand as they look on Discord. */
export function Feed({ entries }: { entries: readonly AuditEntry[] }) {
  const words = useWords();
  const now = useNow();
  const people = entries.filter(({ target }) => target.kind === 'member').map(({ target }) => target.id);
  const { avatars } = usePictures([...new Set(people)]);
  return (
    <ul className={css.changes}>
      {entries.map((entry) => (
        <li key={entry.id}>
          {entry.target.kind === 'member' ? (
            <PersonPicture src={avatars[entry.target.id]} name={entry.target.name ?? entry.target.id} />
          ) : (
            <span className={css.sign}>
              <Icon name={iconOf(entry.action)} />
            </span>
          )}
          <FeedWords entry={entry} />
          <time dateTime={entry.at} title={words.time(entry.at)}>
            {words.ago(entry.at, now)}
          </time>
        </li>
      ))}
    </ul>
  );
}

function FeedWords({ entry }: { entry: AuditEntry }) {
  const sentenceOf = useLogWords(false);
  const { roles } = entry.changes;
  if (entry.action !== 'member.synced' || roles === undefined) return <span>{sentenceOf(entry)}</span>;
  return (
    <span>
      <strong>{entry.target.name}</strong> <span aria-hidden="true">→</span>{' '}
      <RoleChips ids={idsOf(roles.to)} as="given" /> <RoleChips ids={idsOf(roles.from)} as="taken" />
    </span>
  );
}

const idsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
