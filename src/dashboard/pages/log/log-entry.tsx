import { Button, UnstyledButton } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import type { AuditEntry } from '../../api/team-queries.js';
import { changeWords, fieldWords } from '../../guild/change-words.js';
import { EntryWords } from '../../guild/entry-line.js';
import { useLogWords } from '../../guild/log-words.js';
import { useNameOf } from '../../guild/use-name-of.js';
import { useWords } from '../../i18n/words-provider.js';
import { Icon } from '../../parts/icon.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { Table } from '../../parts/table.js';
import css from './log.module.css';

/** One entry as a sentence, with earlier ones that have the same sentence; it expands to each one's changed values. */
export function LogEntry(props: {
  entry: AuditEntry;
  /** Older entries that would read the same. */
  alike: readonly AuditEntry[];
  /** The person's picture, or the subject's icon. */
  sign: ReactNode;
  onActor: (id: string) => unknown;
  onTarget: (id: string) => unknown;
}) {
  const { entry, alike, sign } = props;
  const words = useWords();
  const sentenceOf = useLogWords();
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <li className={css.entry}>
      <UnstyledButton
        className={css.line}
        aria-expanded={open}
        {...(open && { 'aria-controls': id })}
        onClick={() => setOpen(!open)}
      >
        {sign}
        <span className={css.sentence}>
          <EntryWords entry={entry} sentence={sentenceOf(entry)} />
          {alike.length > 0 && <span className={css.quiet}> {words.t('log.times', { count: alike.length + 1 })}</span>}
        </span>
        <time dateTime={entry.at} className={css.quiet}>
          {words.clock(entry.at)}
        </time>
        <Icon name="down" />
      </UnstyledButton>
      {open && (
        <div id={id} className={css.details}>
          {[entry, ...alike].map((each) => (
            <Details key={each.id} {...props} entry={each} />
          ))}
        </div>
      )}
    </li>
  );
}

function Details({ entry, onActor, onTarget }: Omit<Parameters<typeof LogEntry>[0], 'alike' | 'sign'>) {
  const words = useWords();
  const { t } = words;
  const { actor, target, changes, requestId, at, action } = entry;
  return (
    <>
      {Object.keys(changes).length > 0 && <Changes changes={changes} />}
      <p className={css.quiet}>
        {words.time(at)} · <code>{action}</code> · <code>{target.id}</code>
        {requestId !== null && (
          <>
            {' '}
            · <code>{t('log.request', { id: requestId })}</code>
          </>
        )}
      </p>
      <div className={css.buttons}>
        <Button size="xs" variant="default" onClick={() => onActor(actor.id)}>
          {t('log.only_actor')}
        </Button>
        <Button size="xs" variant="default" onClick={() => onTarget(target.id)}>
          {t('log.only_target')}
        </Button>
      </div>
    </>
  );
}

/** The changes to show. An obstacle's English detail would repeat its words, and the line says a sync's cause. */
const shownChanges = (changes: AuditEntry['changes']) =>
  Object.entries(changes).filter(
    ([field]) => (field !== 'detail' || changes.obstacle === undefined) && field !== 'trigger' && field !== 'tookMs',
  );

function Changes({ changes }: { changes: AuditEntry['changes'] }) {
  const words = useWords();
  const { t } = words;
  const nameOf = useNameOf();
  return (
    <ScrollTable label={t('log.changes')}>
      <Table.Thead>
        <Table.Tr>
          {(['field', 'before', 'after'] as const).map((name) => (
            <Table.Th key={name} scope="col">
              {t(`log.${name}`)}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {shownChanges(changes).map(([field, { from, to }]) => (
          <Table.Tr key={field}>
            <Table.Th scope="row">{fieldWords(field, words)}</Table.Th>
            <Table.Td className={css.value}>{changeWords(field, from, nameOf, words)}</Table.Td>
            <Table.Td className={css.value}>{changeWords(field, to, nameOf, words)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </ScrollTable>
  );
}
