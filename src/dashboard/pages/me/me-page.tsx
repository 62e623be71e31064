import { Avatar, Button } from '@mantine/core';
import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { guildsQuery, meQuery } from '../../api/queries.js';
import { OpenFrame } from '../../frame/open-frame.js';
import { ToSignIn } from '../../frame/to-sign-in.js';
import { sourceWords } from '../../guild/bot-names.js';
import { useWords } from '../../i18n/words-provider.js';
import { Confirm } from '../../parts/confirm.js';
import { TextLink } from '../../parts/link-button.js';
import { Page, Section } from '../../parts/page.js';
import { Answered } from '../../parts/states.js';
import { AccountLink, Accounts } from './accounts.js';
import { Consents } from './consents.js';
import { LinkedRoles } from './linked-roles.js';
import css from './me.module.css';
import { Sessions } from './sessions.js';
import { useGone } from './use-gone.js';
import { useRenewal } from './use-renewal.js';

type Me = Schemas['CurrentPerson'];
type OwnAccount = NonNullable<Me['account']>;

export function MePage() {
  const { t } = useWords();
  const { data: me } = useSuspenseQuery(meQuery);
  if (me === null) return <ToSignIn />;
  return (
    <OpenFrame>
      <Page title={t('me.title')} lead={t('me.lead')}>
        <Accounts main={<Account me={me} />} />
        <Consents />
        <LinkedRoles />
        <Servers />
        <Sessions />
        <OwnData />
      </Page>
    </OpenFrame>
  );
}

function Account({ me: { account } }: { me: Me }) {
  const { t, time } = useWords();
  return (
    <Section title={t('me.account')} {...(account !== null && { actions: <Unlink account={account} /> })}>
      {account === null ? (
        <p className={css.words}>{t('me.no_account')}</p>
      ) : (
        <>
          <p className={css.words}>
            <AccountLink account={account} />
          </p>
          <p className={css.quiet}>
            {t(`me.proved_${account.method}`, { source: sourceWords(account.importedFrom, t) })} ·{' '}
            {time(account.linkedAt)}
          </p>
        </>
      )}
    </Section>
  );
}

/**
 * For an imported account the button says that it belongs to another person, which has the same effect and one more
 * (PEOPLE-8).
 */
function Unlink({ account: { gameUserId, gameUsername, method } }: { account: OwnAccount }) {
  const { t } = useWords();
  const renewed = useRenewal();
  const [asking, setAsking] = useState(false);
  const isImported = method === 'imported';
  const act = t(isImported ? 'me.not_me' : 'me.unlink');
  const unlink = useMutation({
    meta: { toast: 'toast.unlinked' },
    mutationFn: () => answerOf(api.DELETE('/api/verification/unlink', { params: { query: { gameUserId } } })),
    onSuccess: renewed,
  });
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {act}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t(isImported ? 'me.not_me_title' : 'me.unlink_title', { account: gameUsername })}
        act={act}
        mutation={unlink}
      >
        <p>{t(isImported ? 'me.not_me_words' : 'me.unlink_words')}</p>
      </Confirm>
    </>
  );
}

function Servers() {
  const { t } = useWords();
  const guilds = useQuery(guildsQuery);
  return (
    <Section title={t('me.teams')}>
      <Answered query={guilds} shape={[['lines', 1]]}>
        {(data) =>
          data.length === 0 ? (
            <>
              <p className={css.words}>{t('me.no_servers')}</p>
              <TextLink to="/g">{t('servers.title')}</TextLink>
            </>
          ) : (
            <ul className={css.servers}>
              {data.map(({ guildId, name, iconUrl, role }) => (
                <li key={guildId}>
                  <Avatar src={iconUrl} name={name} size="sm" radius="sm" alt="" />
                  <TextLink to="/g/$guildId" params={{ guildId }}>
                    {name}
                  </TextLink>
                  <span className={css.quiet}>{t(`role.${role}`)}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </Section>
  );
}

function OwnData() {
  const { t } = useWords();
  const gone = useGone();
  const [asking, setAsking] = useState(false);
  const erase = useMutation({
    mutationFn: () => answerOf(api.DELETE('/api/auth/me', {})),
    onSuccess: gone,
  });
  return (
    <Section title={t('me.data')}>
      <p className={css.words}>{t('me.data_words')}</p>
      <div className={css.buttons}>
        <Button component="a" variant="default" href="/api/auth/me/export" download>
          {t('me.export')}
        </Button>
        <Button variant="light" color="red" onClick={() => setAsking(true)}>
          {t('me.erase')}
        </Button>
      </div>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t('me.erase_title')}
        act={t('me.erase_act')}
        mutation={erase}
      >
        <p>{t('me.erase_words')}</p>
      </Confirm>
    </Section>
  );
}
