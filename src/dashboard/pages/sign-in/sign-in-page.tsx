import { Alert, Button } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { rememberSignedIn } from '../../api/ask-ahead.js';
import { meQuery } from '../../api/queries.js';
import { OpenFrame } from '../../frame/open-frame.js';
import { CardWaiting } from '../../frame/page-waiting.js';
import { useWords } from '../../i18n/words-provider.js';
import { Page } from '../../parts/page.js';
import { InCard } from '../../parts/place.js';

/** One button, and the data requested from Discord. After signing in, the person continues to the page they wanted. */
export function SignInPage() {
  const { t } = useWords();
  const { returnTo, lost } = useSearch({ from: '/sign-in' });
  const { data: me } = useSuspenseQuery(meQuery);
  const { history } = useRouter();
  const isSignedIn = me !== null;
  useEffect(() => {
    if (isSignedIn) history.replace(returnTo);
  }, [isSignedIn, history, returnTo]);
  if (isSignedIn) return <CardWaiting />;
  return (
    <OpenFrame>
      <InCard>
        <Page title={t('sign_in.title')} lead={t('sign_in.lead')}>
          {lost === true && (
            <Alert color="yellow" role="alert" mb="md">
              {t('sign_in.lost')}
            </Alert>
          )}
          <p>{t('sign_in.asks')}</p>
          <ul>
            <li>{t('sign_in.asks_name')}</li>
            <li>{t('sign_in.asks_servers')}</li>
          </ul>
          <Button
            component="a"
            href={`/api/auth/login?returnTo=${encodeURIComponent(returnTo)}`}
            onClick={() => rememberSignedIn(true)}
            size="md"
            fullWidth
          >
            {t('sign_in.continue')}
          </Button>
        </Page>
      </InCard>
    </OpenFrame>
  );
}
