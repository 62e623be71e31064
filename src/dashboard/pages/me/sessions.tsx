import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import type { Words } from '../../i18n/words.js';
import { useWords } from '../../i18n/words-provider.js';
import { Confirm } from '../../parts/confirm.js';
import { Section } from '../../parts/page.js';
import { StateWord } from '../../parts/state-word.js';
import { Answered } from '../../parts/states.js';
import css from './me.module.css';
import { useGone } from './use-gone.js';

type Session = Schemas['Session'];

const sessionsKey = ['sessions'] as const;

const browsers = {
  chrome: 'Chrome',
  edge: 'Edge',
  firefox: 'Firefox',
  opera: 'Opera',
  safari: 'Safari',
  samsung: 'Samsung Internet',
} as const;
const systems = {
  android: 'Android',
  chromeos: 'ChromeOS',
  ios: 'iOS',
  linux: 'Linux',
  macos: 'macOS',
  windows: 'Windows',
} as const;

function deviceWords(device: Session['device'], t: Words['t']): string {
  const browser = device?.browser && browsers[device.browser];
  const system = device?.system && systems[device.system];
  if (browser && system) return t('me.device', { browser, system });
  return browser || system || t('me.device_unknown');
}

/** Where the person is signed in, this session first. */
export function Sessions() {
  const { t } = useWords();
  const sessions = useQuery({
    queryKey: sessionsKey,
    queryFn: async () => {
      const { data } = await answerOf(api.GET('/api/auth/me/sessions', {}));
      return data.toSorted((a, b) => Number(b.current) - Number(a.current));
    },
  });
  const isAlone = sessions.data !== undefined && sessions.data.length < 2;
  return (
    <Section
      title={t('me.sessions')}
      actions={
        <div className={css.buttons}>
          {!isAlone && <EndOthers />}
          <SignOutEverywhere />
        </div>
      }
    >
      <Answered query={sessions} shape={[['list', 2]]}>
        {(data) => (
          <ul className={css.sessions}>
            {data.map((session) => (
              <SessionRow key={session.sessionId} session={session} />
            ))}
          </ul>
        )}
      </Answered>
    </Section>
  );
}

function SessionRow({ session }: { session: Session }) {
  const { t, time, day } = useWords();
  const { startedAt, lastUsedAt, expiresAt, current } = session;
  return (
    <li>
      <div>
        <p className={css.device}>
          <strong>{deviceWords(session.device, t)}</strong>{' '}
          {current && <StateWord tone="good">{t('me.this_session')}</StateWord>}
        </p>
        <p className={css.quiet}>
          {t('me.session_used', { day: day(lastUsedAt) })}{' '}
          {t('me.session', { since: time(startedAt), until: time(expiresAt) })}
        </p>
      </div>
      {!current && <EndOne session={session} />}
    </li>
  );
}

function EndOne({ session: { sessionId, device, startedAt } }: { session: Session }) {
  const { t, time } = useWords();
  const queryClient = useQueryClient();
  const end = useMutation({
    meta: { toast: 'toast.session_ended' },
    mutationFn: () => answerOf(api.DELETE('/api/auth/me/sessions/{sessionId}', { params: { path: { sessionId } } })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: sessionsKey }),
  });
  const name = t('me.end_session_of', { device: deviceWords(device, t), since: time(startedAt) });
  return (
    <Button size="xs" variant="default" loading={end.isPending} aria-label={name} onClick={() => end.mutate()}>
      {t('me.end_session')}
    </Button>
  );
}

function EndOthers() {
  const { t } = useWords();
  const queryClient = useQueryClient();
  const end = useMutation({
    meta: { toast: 'toast.sessions_ended' },
    mutationFn: () => answerOf(api.DELETE('/api/auth/me/sessions', {})),
    onSettled: () => queryClient.invalidateQueries({ queryKey: sessionsKey }),
  });
  return (
    <Button size="xs" variant="default" loading={end.isPending} onClick={() => end.mutate()}>
      {t('me.end_others')}
    </Button>
  );
}

function SignOutEverywhere() {
  const { t } = useWords();
  const gone = useGone();
  const [asking, setAsking] = useState(false);
  const signOut = useMutation({
    mutationFn: () => answerOf(api.POST('/api/auth/logout-everywhere', {})),
    onSuccess: gone,
  });
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {t('me.everywhere')}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t('me.everywhere_title')}
        act={t('me.everywhere')}
        gentle
        mutation={signOut}
      >
        <p>{t('me.everywhere_words')}</p>
      </Confirm>
    </>
  );
}
