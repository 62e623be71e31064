import { Alert, Group, Progress } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { guildKey, type Resync, resyncQuery, resyncsQuery } from '../../api/queries.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { actorName } from '../../guild/log-words.js';
import { isOpen, resyncWords } from '../../guild/resync-words.js';
import { RoleNote } from '../../guild/role-note.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Confirm } from '../../parts/confirm.js';
import { LinkButton } from '../../parts/link-button.js';
import { useNow } from '../../parts/now.js';
import { Section } from '../../parts/page.js';
import { Answered, Empty, Failed } from '../../parts/states.js';
import { PartHead } from './part-head.js';
import css from './resync.module.css';

/** The running resync, the last month's, and a new one. */
export function ResyncPart() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const jobs = useQuery(resyncsQuery(guildId));
  return (
    <>
      <PartHead lead={<p>{t('resync.lead')}</p>} actions={<StartButtons />} />
      <RoleNote least="manager" />
      <Answered query={jobs} shape={['resync.history', ['card', 4]]}>
        {({ data }) => (
          <>
            {data.filter(isOpen).map((job) => (
              <OpenResync key={job.jobId} jobId={job.jobId} />
            ))}
            <History jobs={data.filter((job) => !isOpen(job))} />
          </>
        )}
      </Answered>
    </>
  );
}

function StartButtons() {
  const { t } = useWords();
  const { guildId, linkedMembers } = useGuild();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const start = useMutation({
    meta: { toast: 'toast.resync' },
    mutationFn: () => answerOf(api.POST('/api/guilds/{guildId}/resync', { params: { path: { guildId } }, body: {} })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
  return (
    <>
      <LinkButton to="/g/$guildId/changes" params={{ guildId }} search={{ tab: 'preview' }} variant="default">
        {t('resync.look_first')}
      </LinkButton>
      <ActButton reason={useReasonAgainst('manager')} onClick={() => setAsking(true)}>
        {t('resync.start')}
      </ActButton>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t('resync.start_title')}
        act={t('resync.start')}
        gentle
        mutation={start}
      >
        <p>{t('resync.start_words', { count: linkedMembers })}</p>
      </Confirm>
    </>
  );
}

/** A running resync, with its question for confirmation. */
function OpenResync({ jobId }: { jobId: string }) {
  const words = useWords();
  const { t } = words;
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const job = useQuery(resyncQuery(guildId, jobId));
  const hasEnded = job.data !== undefined && !isOpen(job.data);
  // The list is older, and would still offer to stop a finished resync.
  useEffect(() => {
    if (hasEnded) void queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
  }, [hasEnded, guildId, queryClient]);
  const cancel = useMutation({
    meta: { toast: 'toast.stopped' },
    mutationFn: () =>
      answerOf(api.DELETE('/api/guilds/{guildId}/resync/{jobId}', { params: { path: { guildId, jobId } } })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
  return (
    <Section title={t('resync.running')}>
      <Answered query={job}>
        {(data) => (
          <>
            <p role="status" className={css.state}>
              {resyncWords(data, words)}
            </p>
            <Progress
              size="lg"
              value={data.total === 0 ? 0 : (100 * data.processed) / data.total}
              aria-label={t('resync.progress')}
            />
            <Counts job={data} />
            {data.awaitingConfirmation !== null && <RemovalLimitAlert job={data} />}
            <Failed error={cancel.error} />
            {!hasEnded && (
              <Group mt="sm">
                <CancelButton pending={cancel.isPending} onCancel={cancel.mutate} />
              </Group>
            )}
          </>
        )}
      </Answered>
    </Section>
  );
}

function CancelButton({ pending, onCancel }: { pending: boolean; onCancel: () => void }) {
  const { t } = useWords();
  return (
    <ActButton variant="default" reason={useReasonAgainst('manager')} loading={pending} onClick={onCancel}>
      {t('resync.cancel')}
    </ActButton>
  );
}

/** It would take roles from many: an admin has to say that this is meant. */
function RemovalLimitAlert({ job: { jobId, awaitingConfirmation } }: { job: Resync }) {
  const { t, percent } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const reason = useReasonAgainst('admin');
  const confirm = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/api/guilds/{guildId}/resync', {
          params: { path: { guildId } },
          body: { confirm: jobId, losing: awaitingConfirmation?.losing ?? 0 },
        }),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
  const values = { count: awaitingConfirmation?.losing ?? 0, share: percent(awaitingConfirmation?.share ?? 0) };
  return (
    <Alert color="red" role="alert" title={t('resync.brake_title')} mt="md">
      <p className={css.state}>{t('resync.brake_words', values)}</p>
      <ActButton color="red" reason={reason} onClick={() => setAsking(true)}>
        {t('resync.brake_confirm')}
      </ActButton>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t('resync.brake_ask')}
        act={t('resync.brake_confirm')}
        mutation={confirm}
      >
        <p>{t('resync.brake_words', values)}</p>
      </Confirm>
    </Alert>
  );
}

function Counts({ job: { changed, failed, blocked } }: { job: Resync }) {
  const { t } = useWords();
  return (
    <ul className={css.counts}>
      <li>{t('resync.changed', { count: changed })}</li>
      <li>{t('resync.failed', { count: failed })}</li>
      <li>{t('resync.blocked', { count: blocked })}</li>
    </ul>
  );
}

function History({ jobs }: { jobs: readonly Resync[] }) {
  const words = useWords();
  const { t } = words;
  const now = useNow();
  return (
    <Section title={t('resync.history')} plain={jobs.length === 0}>
      {jobs.length === 0 && <Empty title={t('resync.none')}>{t('resync.none_why')}</Empty>}
      <ul className={css.history}>
        {jobs.map((job) => (
          <li key={job.jobId}>
            <span>
              <strong>{t(`resync.state_${job.state}`)}</strong>{' '}
              {t('resync.by', { actor: actorName(job.startedBy, t), scope: t(`resync.scope_${job.scope}`) })}{' '}
              <time dateTime={job.createdAt} title={words.time(job.createdAt)} className={css.quiet}>
                {words.ago(job.createdAt, now)}
              </time>
            </span>
            {job.error !== null && (
              <span className={css.bad}>{words.refusal(job.error.code, {}) ?? job.error.message}</span>
            )}
            <Counts job={job} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
