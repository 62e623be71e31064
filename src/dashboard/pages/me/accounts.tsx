import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { sourceWords } from '../../guild/bot-names.js';
import { useWords } from '../../i18n/words-provider.js';
import { Confirm } from '../../parts/confirm.js';
import { Section } from '../../parts/page.js';
import { StateWord } from '../../parts/state-word.js';
import css from './me.module.css';
import { UseElsewhere } from './use-elsewhere.js';
import { accountsKey, useRenewal } from './use-renewal.js';

type OwnAccount = Schemas['OwnAccount'];
type Server = OwnAccount['servers'][number];

/** The person's accounts, each with its own card; `main` is shown for a person with one or none. */
export function Accounts({ main }: { main: ReactNode }) {
  const { t } = useWords();
  const { data = [] } = useQuery({
    queryKey: accountsKey,
    queryFn: async () => (await answerOf(api.GET('/api/auth/me/accounts', {}))).data,
  });
  if (data.length < 2) return main;
  return (
    <Section title={t('me.accounts')}>
      <p className={css.words}>{t('me.accounts_words')}</p>
      <ul className={css.accounts}>
        {data.map((own) => (
          <OneAccount key={own.account.gameUserId} own={own} />
        ))}
      </ul>
    </Section>
  );
}

export function AccountLink({ account }: { account: OwnAccount['account'] }) {
  const { gameUserId, gameUsername, gameDisplayName } = account;
  return (
    <a href={`https://www.roblox.com/users/${gameUserId}/profile`} target="_blank" rel="noreferrer">
      {gameDisplayName === gameUsername ? gameUsername : `${gameDisplayName} (@${gameUsername})`}
    </a>
  );
}

function OneAccount({ own: { account, main, servers, serversIfMain } }: { own: OwnAccount }) {
  const { t, time } = useWords();
  const [asking, setAsking] = useState<'main' | 'use' | 'remove' | null>(null);
  const { gameUserId, gameUsername } = account;
  const renewed = useRenewal();
  const path = { gameUserId };
  const prefer = useMutation({
    meta: { toast: 'toast.saved' },
    mutationFn: () =>
      answerOf(api.PUT('/api/auth/me/accounts/{gameUserId}', { params: { path }, body: { main: true } })),
    onSuccess: renewed,
  });
  const remove = useMutation({
    meta: { toast: 'toast.unlinked' },
    mutationFn: () => answerOf(api.DELETE('/api/auth/me/accounts/{gameUserId}', { params: { path } })),
    onSuccess: renewed,
  });
  const close = () => setAsking(null);
  return (
    <li>
      <p className={css.account}>
        <AccountLink account={account} /> {main && <StateWord tone="good">{t('me.main')}</StateWord>}
      </p>
      <p className={css.quiet}>
        {t(`me.proved_${account.method}`, { source: sourceWords(account.importedFrom, t) })} · {time(account.linkedAt)}
      </p>
      <p className={css.quiet}>
        {servers.length === 0 ? t('me.used_nowhere') : t('me.used_in', { servers: listOf(servers) })}
      </p>
      <div className={css.buttons}>
        <Button
          size="xs"
          variant="default"
          onClick={() => setAsking('use')}
          aria-label={t('action.of', { act: t('me.use'), name: gameUsername })}
        >
          {t('me.use')}
        </Button>
        {!main && (
          <Button
            size="xs"
            variant="default"
            onClick={() => setAsking('main')}
            aria-label={t('action.of', { act: t('me.make_main'), name: gameUsername })}
          >
            {t('me.make_main')}
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          onClick={() => setAsking('remove')}
          aria-label={t('action.of', { act: t('action.remove'), name: gameUsername })}
        >
          {t('action.remove')}
        </Button>
      </div>
      <UseElsewhere open={asking === 'use'} onClose={close} own={{ account, servers }} onSuccess={renewed} />
      <Confirm
        open={asking === 'main'}
        onClose={close}
        title={t('me.make_main_title', { account: gameUsername })}
        act={t('me.make_main')}
        gentle
        mutation={prefer}
      >
        <p>{t('me.make_main_words')}</p>
        <p>{serversIfMain.length === 0 ? t('me.changes_none') : t('me.changes', { servers: listOf(serversIfMain) })}</p>
      </Confirm>
      <Confirm
        open={asking === 'remove'}
        onClose={close}
        title={t('me.remove_title', { account: gameUsername })}
        act={t('action.remove')}
        mutation={remove}
      >
        <p>{t('me.remove_words')}</p>
        <p>{servers.length === 0 ? t('me.changes_none') : t('me.changes', { servers: listOf(servers) })}</p>
      </Confirm>
    </li>
  );
}

const listOf = (servers: readonly Server[]): string => servers.map(({ name }) => name).join(', ');
