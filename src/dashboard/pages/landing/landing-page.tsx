import { Group } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { meQuery } from '../../api/queries.js';
import { OpenFrame } from '../../frame/open-frame.js';
import { useWords } from '../../i18n/words-provider.js';
import { LinkButton } from '../../parts/link-button.js';
import { Page } from '../../parts/page.js';
import css from './landing.module.css';

const points = ['verify', 'ranks', 'careful'] as const;

/** What Rolelink is, and the way in. */
export function LandingPage() {
  const { t } = useWords();
  const { data: me } = useSuspenseQuery(meQuery);
  return (
    <OpenFrame>
      <Page title={t('landing.title')} lead={t('landing.lead')}>
        <Group mb="xl">
          {me === null ? (
            <LinkButton to="/sign-in" search={{ returnTo: '/g' }} size="md">
              {t('landing.sign_in')}
            </LinkButton>
          ) : (
            <LinkButton to="/g" size="md">
              {t('landing.open')}
            </LinkButton>
          )}
        </Group>
        <div className={css.points}>
          {points.map((name) => (
            <section key={name} className={css.point} aria-label={t(`landing.${name}`)}>
              <h2>{t(`landing.${name}`)}</h2>
              <p>{t(`landing.${name}_text`)}</p>
            </section>
          ))}
        </div>
      </Page>
    </OpenFrame>
  );
}
