import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Fragment, Suspense } from 'react';
import { fillText } from '../../../lib/fill-text.js';
import { type SetupReport, setupQuery } from '../../api/admin-queries.js';
import { answerOf, api } from '../../api/client.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { useWords } from '../../i18n/words-provider.js';
import { useNow } from '../../parts/now.js';
import { Page, Section } from '../../parts/page.js';
import { StateWord, type Tone } from '../../parts/state-word.js';
import { Answered, Empty, Failed } from '../../parts/states.js';
import { Waiting } from '../../parts/waiting.js';
import css from './doctor.module.css';
import { findingTextsQuery } from './finding-texts.js';

type Finding = SetupReport['checks'][number]['findings'][number];

/** The installation's problems, and the click that fixes each, as the service sees them. */
export function DoctorPage() {
  const { t } = useWords();
  const queryClient = useQueryClient();
  const setup = useQuery(setupQuery);
  const look = useMutation({
    mutationFn: () => answerOf(api.POST('/api/admin/doctor', {})),
    onSuccess: (report) => queryClient.setQueryData(setupQuery.queryKey, report),
  });
  return (
    <Page
      title={t('doctor.title')}
      lead={t('doctor.lead')}
      actions={
        <Button variant="default" loading={look.isPending} onClick={() => look.mutate()}>
          {t('doctor.look')}
        </Button>
      }
    >
      <Failed error={look.error} />
      <Answered query={setup} shape={pageShapes.doctor.parts}>
        {(report) => (
          <Suspense fallback={<Waiting shape={pageShapes.doctor.parts} />}>
            <Report report={report} />
          </Suspense>
        )}
      </Answered>
    </Page>
  );
}

/** How each state is called and coloured; the worst first. */
const tones: readonly [Finding['state'], Tone][] = [
  ['fault', 'bad'],
  ['warning', 'warn'],
  ['unknown', 'quiet'],
  ['ok', 'good'],
  ['off', 'quiet'],
];
const worstFirst = tones.map(([state]) => state);
const toneOf = Object.fromEntries(tones) as Readonly<Record<Finding['state'], Tone>>;

function Report({ report: { lookedAt, checks } }: { report: SetupReport }) {
  const words = useWords();
  const { t } = words;
  const now = useNow();
  const all = checks.flatMap(({ name, findings }) => findings.map((finding) => ({ name, ...finding })));
  const sorted = all.toSorted((a, b) => worstFirst.indexOf(a.state) - worstFirst.indexOf(b.state));
  const toMend = sorted.filter(({ todo }) => todo !== null);
  const others = sorted.filter(({ todo }) => todo === null);
  return (
    <>
      <p className={css.looked} role="status">
        {t('doctor.looked', { time: words.time(lookedAt), ago: words.ago(lookedAt, now) })}
      </p>
      <Section title={t('doctor.mend', { count: toMend.length })} plain>
        {toMend.length === 0 ? <Empty title={t('doctor.nothing')} /> : <Findings findings={toMend} />}
      </Section>
      <Section title={t('doctor.rest')} plain>
        <Findings findings={others} />
      </Section>
    </>
  );
}

/**
 * The findings by code in the page's language. A code without words there is shown in English, as on the command line.
 */
function Findings({ findings }: { findings: readonly (Finding & { name: string })[] }) {
  const { t, language } = useWords();
  const { data: texts } = useSuspenseQuery(findingTextsQuery(language));
  const inWords = (key: string, params: Finding['params'], english: string) => {
    const text = texts[key];
    if (text === undefined) return <span lang="en">{withLinks(english)}</span>;
    return withLinks(fillText(text, params, language));
  };
  return (
    <ul className={css.findings}>
      {findings.map(({ name, state, code, params, says, todo }) => (
        <li key={`${name} ${code} ${says}`}>
          <StateWord tone={toneOf[state]}>{t(`doctor.${state}`)}</StateWord>
          <div className={css.words}>
            <p>
              <strong>{inWords(`check.${name}`, {}, name)}:</strong> {inWords(`finding.${code}`, params, says)}
            </p>
            {todo !== null && (
              <>
                <p className={css.todo}>{inWords(`todo.${code}`, params, todo)}</p>
                <p className={css.code}>{code}</p>
              </>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** An address that breaks after its slashes, and in no word. */
const breakable = (address: string) =>
  address.split(/(?<=\/)(?!\/)/).map((part) => (
    <Fragment key={part}>
      {part}
      <wbr />
    </Fragment>
  ));

const withLinks = (sentence: string) =>
  sentence.split(/(https?:\/\/[^\s,→]*[^\s,→.])/).map((part) =>
    part.startsWith('https://') ? (
      <a key={part} href={part} target="_blank" rel="noreferrer">
        {breakable(part)}
      </a>
    ) : part.startsWith('http://') ? (
      breakable(part)
    ) : (
      part
    ),
  );
