import type { AuditEntry } from '../api/team-queries.js';
import { useWords } from '../i18n/words-provider.js';
import { Icon } from '../parts/icon.js';
import css from './entry-line.module.css';
import { iconOf } from './log-icons.js';
import { PersonPicture, usePictures } from './pictures.js';
import { RoleChips } from './role-names.js';

/** The person to picture beside an entry: its target, else its actor. */
function personOf({ actor, target }: AuditEntry): { id: string; name: string } | undefined {
  if (target.kind === 'member') return { id: target.id, name: target.name ?? target.id };
  return actor.kind === 'user' ? actor : undefined;
}

/** The signs of entries: a person's picture, with the subject's icon where no person is known. */
export function useEntrySign(entries: readonly AuditEntry[]) {
  const { avatars } = usePictures([...new Set(entries.flatMap((entry) => personOf(entry)?.id ?? []))]);
  return (entry: AuditEntry) => {
    const person = personOf(entry);
    if (person !== undefined) return <PersonPicture src={avatars[person.id]} name={person.name} />;
    return (
      <span className={css.sign}>
        <Icon name={iconOf(entry.action)} />
      </span>
    );
  };
}

/** An entry in words: `sentence`, or why a person's roles changed, the roles as on Discord, and how long it took. */
export function EntryWords({ entry, sentence }: { entry: AuditEntry; sentence: string }) {
  const words = useWords();
  const roles = rolesOf(entry);
  if (roles === undefined) return sentence;
  const trigger = `trigger.${String(entry.changes.trigger?.to)}`;
  const tookMs = entry.changes.tookMs?.to;
  return (
    <>
      <strong>{entry.target.name}</strong>{' '}
      {words.has(trigger) && <span className={css.cause}>{words.t(trigger)} </span>}
      <span aria-hidden="true">→</span> <RoleChips ids={idsOf(roles.to)} as="given" />{' '}
      <RoleChips ids={idsOf(roles.from)} as="taken" />
      {typeof tookMs === 'number' && (
        <span className={css.cause}> {words.duration(Math.max(1, Math.round(tookMs / 1_000)))}</span>
      )}
    </>
  );
}

/** An entry as `EntryWords` shows it, to compare it with others. */
export const readOf = (entry: AuditEntry, sentence: string): string =>
  JSON.stringify([sentence, rolesOf(entry) ?? null]);

const rolesOf = ({ action, changes }: AuditEntry) => (action === 'member.synced' ? changes.roles : undefined);
const idsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
