import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { useWords } from '../../i18n/words-provider.js';
import { Confirm } from '../../parts/confirm.js';
import { Section } from '../../parts/page.js';
import css from './me.module.css';

const queryKey = ['linked-roles'];

/** Whether the person has connected themselves for Linked Roles. Nothing where the operator publishes none. */
export function LinkedRoles() {
  const { t } = useWords();
  const { data } = useQuery({ queryKey, queryFn: () => answerOf(api.GET('/api/auth/me/linked-roles', {})) });
  if (data === undefined || !(data.available || data.connectedAt !== null)) return null;
  return (
    <Section title={t('me.linked_roles')} actions={data.connectedAt === null ? <Connect /> : <Disconnect />}>
      <p className={css.words}>{t('me.linked_roles_words')}</p>
      <Told told={data} />
    </Section>
  );
}

function Told({ told: { connectedAt, writtenAt, gameUsername } }: { told: Schemas['LinkedRoles'] }) {
  const { t, time } = useWords();
  if (connectedAt === null) return null;
  const since = t('me.linked_roles_since', { since: time(connectedAt) });
  return (
    <p className={css.quiet}>
      {writtenAt === null ? `${since} · ${t('me.linked_roles_nothing')}` : `${since} · ${gameUsername}`}
    </p>
  );
}

function Connect() {
  const { t } = useWords();
  return (
    <Button component="a" size="xs" variant="default" href="/linked-roles">
      {t('me.linked_roles_connect')}
    </Button>
  );
}

function Disconnect() {
  const { t } = useWords();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const disconnect = useMutation({
    meta: { toast: 'toast.saved' },
    mutationFn: () => answerOf(api.DELETE('/api/auth/me/linked-roles', {})),
    onSuccess: () => queryClient.invalidateQueries({ queryKey }),
  });
  return (
    <>
      <Button size="xs" variant="subtle" color="red" onClick={() => setAsking(true)}>
        {t('me.linked_roles_end')}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t('me.linked_roles_end_title')}
        act={t('me.linked_roles_end')}
        mutation={disconnect}
      >
        <p>{t('me.linked_roles_end_words')}</p>
      </Confirm>
    </>
  );
}
