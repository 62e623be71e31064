import { Alert, Button, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../client/api-types.js';
import { Refusal } from '../../api/answer-errors.js';
import { readConfigText, sendConfigText } from '../../api/config-text.js';
import { guildKey } from '../../api/queries.js';
import { sentenceOf } from '../../api/refusal.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { ObserveOrApply } from '../../guild/other-bots-question.js';
import { RoleChips } from '../../guild/role-names.js';
import { RoleNote } from '../../guild/role-note.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Confirm } from '../../parts/confirm.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Page, Section } from '../../parts/page.js';
import { ReadFileButton } from '../../parts/read-file-button.js';
import { Answered, Failed } from '../../parts/states.js';
import css from './config.module.css';

type Result = Schemas['ConfigResult'];
interface Stored {
  value: string;
  etag: string;
}

/** Groups, mappings and settings as one text: to save, to copy to another server, and to apply after a preview. */
export function ConfigPage() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const stored = useQuery({
    queryKey: [...guildKey(guildId), 'config'],
    queryFn: () => readConfigText(guildId),
    // An edited text is compared with the version that the person saw, not with later ones.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Page title={t('nav.config')} lead={t('config.lead')}>
      <RoleNote least="admin" />
      <Answered query={stored} shape={pageShapes.config.parts}>
        {(data) => <Editor key={data.etag} stored={data} />}
      </Answered>
    </Page>
  );
}

function Editor({ stored: { value, etag } }: { stored: Stored }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const reason = useReasonAgainst('admin');
  const [text, setText] = useState(value);
  const check = useMutation({
    mutationFn: (typed: string) => sendConfigText(guildId, typed, { dryRun: true, etag }),
  });
  const change = (typed: string) => {
    setText(typed);
    check.reset();
  };
  return (
    <>
      <Textarea
        label={t('config.text')}
        className={css.text ?? ''}
        rows={20}
        spellCheck={false}
        value={text}
        readOnly={reason !== undefined}
        onChange={(event) => change(event.currentTarget.value)}
      />
      <div className={css.buttons}>
        <ActButton
          reason={reason ?? (text === value ? t('config.unchanged') : undefined)}
          loading={check.isPending}
          onClick={() => check.mutate(text)}
        >
          {t('config.check')}
        </ActButton>
        {text !== value && (
          <Button variant="default" onClick={() => change(value)}>
            {t('config.discard')}
          </Button>
        )}
        <CopyButton text={text} what={t('config.text')} />
        {reason === undefined && (
          <ReadFileButton accept=".yaml,.yml,.json" onRead={change}>
            {t('config.file')}
          </ReadFileButton>
        )}
      </div>
      <Problems error={check.error} />
      {check.data !== undefined && <Changes result={check.data} text={text} etag={etag} />}
    </>
  );
}

function Problems({ error }: { error: unknown }) {
  const words = useWords();
  const problems = error instanceof Refusal ? (error.problem.errors ?? []) : [];
  if (problems.length === 0) return <Failed error={error} />;
  return (
    <Alert color="red" role="alert" title={words.t('config.refused')}>
      <ul className={css.problems}>
        {problems.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            {path !== '' && <code>{path}</code>} {sentenceOf(message, words)}
          </li>
        ))}
      </ul>
    </Alert>
  );
}

const signs = { '+': 'added', '~': 'changed', '-': 'removed' } as const;

function Changes({ result, text, etag }: { result: Result; text: string; etag: string }) {
  const { changes, people, rolesAbove } = result;
  const { t } = useWords();
  return (
    <Section title={t('config.changes')}>
      {changes.length === 0 && <p className={css.words}>{t('config.no_changes')}</p>}
      <ul className={css.changes}>
        {changes.map(({ change, kind, what }) => (
          <li key={`${change} ${kind} ${what}`} className={css[signs[change]]}>
            <span className={css.sign}>{t(`config.${signs[change]}`)}</span> {t(`config.${kind}`)}: {what}
          </li>
        ))}
      </ul>
      {rolesAbove.length > 0 && (
        <Alert color="yellow">
          {t('mapping_import.roles_above')} <RoleChips ids={rolesAbove} as="given" />
        </Alert>
      )}
      {people !== null && (
        <p className={css.words}>
          {t(people.isWhole ? 'config.people' : 'config.people_part', {
            changed: people.changed,
            checked: people.checked,
          })}
        </p>
      )}
      {changes.length > 0 && <Apply text={text} etag={etag} result={result} />}
    </Section>
  );
}

/** Asks before it applies, beside another bot first whether the server should only observe (CONF-61). */
function Apply({ text, etag, result }: { text: string; etag: string; result: Result }) {
  const { changes, people, observing, otherBots } = result;
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<'observe' | 'apply' | null>(null);
  const observes = observing || asked === 'observe';
  const apply = useMutation({
    meta: { toast: 'toast.saved' },
    mutationFn: () => sendConfigText(guildId, text, { dryRun: false, etag, observe: asked === 'observe' }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
  return (
    <>
      {observing || otherBots.length === 0 ? (
        <Button onClick={() => setAsked('apply')}>{t('config.apply')}</Button>
      ) : (
        <ObserveOrApply otherBots={otherBots} onObserve={() => setAsked('observe')} onApply={() => setAsked('apply')} />
      )}
      <Confirm
        open={asked !== null}
        onClose={() => setAsked(null)}
        title={t('config.apply_title')}
        act={t(asked === 'observe' ? 'people.observe_first' : 'config.apply')}
        mutation={apply}
      >
        <p>{t('config.apply_words', { count: changes.length })}</p>
        {observes && <p>{t('config.observing')}</p>}
        {!observes && people !== null && <p>{t('config.apply_people', { count: people.changed })}</p>}
      </Confirm>
    </>
  );
}
