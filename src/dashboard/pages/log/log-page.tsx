import { Button, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { infoQuery, logQuery } from '../../api/team-queries.js';
import { readOf, useEntrySign } from '../../guild/entry-line.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { useLogWords } from '../../guild/log-words.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { ChoiceOrNone } from '../../parts/choice.js';
import { Page, Section } from '../../parts/page.js';
import { Empty, Failed } from '../../parts/states.js';
import { Waiting } from '../../parts/waiting.js';
import { folded } from './folded.js';
import css from './log.module.css';
import { LogEntry } from './log-entry.js';
import { LogFind } from './log-find.js';
import { byDay, families, filterOf, type LogSearch } from './log-search.js';
import { Narrowed } from './narrowed.js';

type Change = (changed: { [Key in keyof LogSearch]: LogSearch[Key] | undefined }) => unknown;

/** The server's log as sentences; the filters are in the address. */
export function LogPage() {
  const { t } = useWords();
  const { plan } = useGuild();
  const search = useSearch({ from: '/g/$guildId/log' });
  const navigate = useNavigate({ from: '/g/$guildId/log' });
  const { data: info } = useQuery(infoQuery);
  const days = info?.plans.find(({ name }) => name === plan)?.limits.logDays;
  const change: Change = (changed) => {
    const merged = Object.entries({ ...search, ...changed }).filter(([, value]) => value !== undefined);
    return navigate({ search: Object.fromEntries(merged) as LogSearch, replace: true, resetScroll: false });
  };
  return (
    <Page
      title={t('nav.log')}
      lead={days === undefined ? '\u00A0' : t('log.kept', { count: days })}
      actions={<Export search={search} />}
    >
      <Filters search={search} change={change} />
      <Entries search={search} change={change} />
    </Page>
  );
}

/** The listed entries as a file. The browser loads it, with the session's cookie. */
function Export({ search }: { search: LogSearch }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const reason = useReasonAgainst('admin');
  if (reason !== undefined)
    return (
      <ActButton variant="default" reason={reason}>
        {t('log.export')}
      </ActButton>
    );
  const query = new URLSearchParams(Object.entries(filterOf(search)));
  return (
    <Button component="a" variant="default" href={`/api/guilds/${guildId}/logs/export?${query}`} download>
      {t('log.export')}
    </Button>
  );
}

function Filters({ search, change }: { search: LogSearch; change: Change }) {
  const { t } = useWords();
  const { action, from, to } = search;
  return (
    <search className={css.filters}>
      <LogFind search={search} onFound={(involves) => change({ involves })} />
      <ChoiceOrNone
        label={t('log.kind')}
        none={t('log.kind_any')}
        value={action}
        options={families.map((value) => ({ value, label: t(`log_kind.${value}`) }))}
        onChange={(value) => change({ action: value })}
      />
      <TextInput
        label={t('log.from')}
        type="date"
        value={from ?? ''}
        onChange={(event) => change({ from: event.currentTarget.value || undefined })}
      />
      <TextInput
        label={t('log.to')}
        type="date"
        value={to ?? ''}
        onChange={(event) => change({ to: event.currentTarget.value || undefined })}
      />
      <Narrowed
        search={search}
        onActor={() => change({ actor: undefined })}
        onTarget={() => change({ target: undefined })}
        onInvolved={() => change({ involves: undefined })}
      />
    </search>
  );
}

function Entries({ search, change }: { search: LogSearch; change: Change }) {
  const words = useWords();
  const { t } = words;
  const { guildId } = useGuild();
  const entries = useInfiniteQuery(logQuery(guildId, filterOf(search)));
  const sentenceOf = useLogWords();
  const all = entries.data?.pages.flatMap(({ data }) => data) ?? [];
  const signOf = useEntrySign(all);
  if (entries.isPending)
    return (
      <Waiting
        shape={[
          ['title', 1],
          ['rows', 10],
        ]}
      />
    );
  if (entries.isError) return <Failed error={entries.error} onRetry={entries.refetch} />;
  if (all.length === 0) return <Empty title={t('log.none')}>{t('log.none_why')}</Empty>;
  return (
    <>
      {byDay(all).map(({ day, entries: ofDay }) => (
        <Section key={day} title={words.date(ofDay[0]?.at ?? day)} plain>
          <ul className={css.entries}>
            {folded(ofDay, (entry) => readOf(entry, sentenceOf(entry))).map(({ entry, alike }) => (
              <LogEntry
                key={entry.id}
                entry={entry}
                alike={alike}
                sign={signOf(entry)}
                onActor={(actor) => change({ actor })}
                onTarget={(target) => change({ target })}
              />
            ))}
          </ul>
        </Section>
      ))}
      {entries.hasNextPage && (
        <Button variant="default" loading={entries.isFetchingNextPage} onClick={() => entries.fetchNextPage()}>
          {t('list.more')}
        </Button>
      )}
    </>
  );
}
