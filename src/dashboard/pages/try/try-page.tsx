import { Button, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import { heldToken, holdToken } from '../../api/held-token.js';
import { lastServer } from '../../api/last-server.js';
import { guildsQuery, meQuery } from '../../api/queries.js';
import { OpenFrame } from '../../frame/open-frame.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { PageWaiting } from '../../frame/page-waiting.js';
import { ToSignIn } from '../../frame/to-sign-in.js';
import { useWords } from '../../i18n/words-provider.js';
import { CodeText } from '../../parts/code-text.js';
import { Confirm } from '../../parts/confirm.js';
import { Page, Section } from '../../parts/page.js';
import { SearchChoice } from '../../parts/search-choice.js';
import { Answered, Failed } from '../../parts/states.js';
import { type Operation, operationsQuery } from './described-operations.js';
import { addressOf, type CallAnswer, sendCall, type Values } from './sent-call.js';
import css from './try.module.css';

/** Calls an API operation with this browser's session, and shows the answer. */
export function TryPage() {
  const { t } = useWords();
  const me = useQuery(meQuery);
  return (
    <OpenFrame>
      {me.data === undefined && !me.isError && <PageWaiting />}
      {me.isError && <Failed error={me.error} onRetry={me.refetch} />}
      {me.data === null && <ToSignIn />}
      {me.data != null && (
        <Page title={t('try.title')} lead={t('try.lead', { name: me.data.username })}>
          <Operations />
        </Page>
      )}
    </OpenFrame>
  );
}

function Operations() {
  const { t } = useWords();
  const { operation: chosen, guildId } = useSearch({ from: '/docs/try' });
  const navigate = useNavigate();
  const [token, setToken] = useState(heldToken);
  useEffect(() => () => holdToken(''), []);
  const operations = useQuery(operationsQuery);
  return (
    <Answered query={operations} shape={pageShapes.tryCall.parts}>
      {(all) => {
        const operation = all.find(({ id }) => id === chosen);
        return (
          <>
            <SearchChoice
              label={t('try.operation')}
              value={operation?.id}
              options={all.map(({ id, method, path, summary }) => ({
                value: id,
                label: `${method} ${path} · ${summary}`,
              }))}
              onChange={(id) =>
                void navigate({
                  to: '/docs/try',
                  search: { operation: id, ...(guildId !== undefined && { guildId }) },
                  replace: true,
                })
              }
            />
            <TextInput
              mt="sm"
              type="password"
              label={t('try.token')}
              description={t('try.token_hint')}
              autoComplete="off"
              value={token}
              onChange={({ currentTarget }) => setToken(currentTarget.value.trim())}
            />
            {operation !== undefined && <Call key={operation.id} operation={operation} token={token} />}
          </>
        );
      }}
    </Answered>
  );
}

function Call({ operation, token }: { operation: Operation; token: string }) {
  const { t } = useWords();
  const { id, method, parameters } = operation;
  const { guildId } = useSearch({ from: '/docs/try' });
  const own = useOwnServer();
  const [typed, setTyped] = useState<Values>({});
  const values: Values = { guildId: guildId ?? own, ...typed };
  const [body, setBody] = useState(operation.body?.example ?? '');
  const [asking, setAsking] = useState(false);
  const [answer, setAnswer] = useState<CallAnswer>();
  const call = useMutation({ mutationFn: () => sendCall({ operation, values, body, token }), onSuccess: setAnswer });
  const isMissing = parameters.some(({ name, required }) => required && !values[name]);
  const line = `${method} ${addressOf(operation, values)}`;
  return (
    <>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          // A GET only reads and is sent immediately; any other call may change something.
          if (method === 'GET') call.mutate();
          else setAsking(true);
        }}
      >
        <Parameters operation={operation} values={values} onChange={setTyped} />
        {operation.body !== undefined && (
          <Textarea
            label={t('try.body')}
            rows={10}
            spellCheck={false}
            className={css.body ?? ''}
            value={body}
            onChange={({ currentTarget }) => setBody(currentTarget.value)}
          />
        )}
        <CodeText>{line}</CodeText>
        <p className={css.acts}>
          <Button type="submit" disabled={isMissing} loading={call.isPending}>
            {t('try.send')}
          </Button>{' '}
          <a href={`/docs#${id}`}>{t('try.docs')}</a>
        </p>
      </form>
      {!asking && <Failed error={call.error} />}
      <Confirm open={asking} onClose={() => setAsking(false)} title={t('try.ask')} act={t('try.send')} mutation={call}>
        <p>{t('try.ask_why')}</p>
        <CodeText>{line}</CodeText>
      </Confirm>
      {answer !== undefined && <Answer answer={answer} />}
    </>
  );
}

/** The id for the person's server that this browser showed last, else for their first by name; empty without one. */
function useOwnServer(): string {
  const { data: guilds = [] } = useQuery(guildsQuery);
  const last = guilds.find(({ guildId }) => guildId === lastServer());
  const [first] = guilds.toSorted((a, b) => a.name.localeCompare(b.name));
  return (last ?? first)?.guildId ?? '';
}

/** A box for each parameter; server ids are offered by the names of the person's own servers. */
function Parameters(props: { operation: Operation; values: Values; onChange: (values: Values) => void }) {
  const { operation, values, onChange } = props;
  const id = useId();
  const { data: guilds = [] } = useQuery(guildsQuery);
  return (
    <>
      {operation.parameters.map(({ name, required }) => (
        <TextInput
          key={name}
          label={name}
          required={required}
          withAsterisk={required}
          autoComplete="off"
          {...(name === 'guildId' && { list: id })}
          value={values[name] ?? ''}
          onChange={({ currentTarget }) => onChange({ ...values, [name]: currentTarget.value.trim() })}
        />
      ))}
      <datalist id={id}>
        {guilds.map(({ guildId, name }) => (
          <option key={guildId} value={guildId}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}

function Answer({ answer: { status, headers, text } }: { answer: CallAnswer }) {
  const { t } = useWords();
  return (
    <Section title={t('try.answer')} plain>
      <div className={css.answer}>
        <p role="status">
          <strong>{status}</strong>
        </p>
        <CodeText>{headers.map(([name, value]) => `${name}: ${value}`).join('\n')}</CodeText>
        {text !== '' && <CodeText>{text}</CodeText>}
      </div>
    </Section>
  );
}
