import { Button, Group } from '@mantine/core';
import { usePrefetchQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { meQuery } from '../../api/queries.js';
import { infoQuery } from '../../api/team-queries.js';
import { OpenFrame } from '../../frame/open-frame.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { useWords } from '../../i18n/words-provider.js';
import { CodeText } from '../../parts/code-text.js';
import { LinkButton } from '../../parts/link-button.js';
import { Page, Section } from '../../parts/page.js';
import { BesidePicture } from '../../parts/place.js';
import { Waiting } from '../../parts/waiting.js';
import css from './landing.module.css';
import { LandingPicture } from './landing-picture.js';
import { RankPicture } from './rank-picture.js';

/** What Rolelink does better. */
const lines = ['compare', 'reasons', 'ranks'] as const;

/** The first shows the service at work without any account. */
const commands = 'npm run demo\nnpm start';

/** An introduction to Rolelink, an example at work, and the way in. */
export function LandingPage() {
  const { t } = useWords();
  return (
    <OpenFrame>
      <BesidePicture picture={<RankPicture />}>
        <Page title={t('landing.title')} lead={t('landing.lead')}>
          <Suspense fallback={<Waiting shape={pageShapes.landing.parts} />}>
            <WaysIn />
          </Suspense>
        </Page>
      </BesidePicture>
      <div className={css.product}>
        <LandingPicture view="product" />
      </div>
      <Section title={t('landing.why')} plain>
        <Lines />
      </Section>
      <Section title={t('landing.host')} plain>
        <div className={css.host}>
          <p>{t('landing.host_text')}</p>
          <CodeText>{commands}</CodeText>
          <Button component="a" href="/docs" variant="default">
            {t('landing.docs')}
          </Button>
        </div>
      </Section>
    </OpenFrame>
  );
}

function WaysIn() {
  const { t } = useWords();
  usePrefetchQuery(infoQuery);
  const { data: me } = useSuspenseQuery(meQuery);
  const info = useQuery(infoQuery);
  if (info.isPending) return <Waiting shape={pageShapes.landing.parts} />;
  const inviteUrl = info.data?.inviteUrl ?? null;
  return (
    <Group>
      {inviteUrl !== null && (
        <Button component="a" href={inviteUrl} size="md">
          {t('landing.add')}
        </Button>
      )}
      {me === null ? (
        <LinkButton to="/sign-in" search={{ returnTo: '/g' }} size="md" variant="default">
          {t('landing.sign_in')}
        </LinkButton>
      ) : (
        <LinkButton to="/g" size="md" variant="default">
          {t('landing.open')}
        </LinkButton>
      )}
    </Group>
  );
}

function Lines() {
  const { t } = useWords();
  return lines.map((name) => (
    <section key={name} className={css.line} aria-label={t(`landing.${name}`)}>
      <div>
        <h3>{t(`landing.${name}`)}</h3>
        <p>{t(`landing.${name}_text`)}</p>
      </div>
      <LandingPicture view={name} />
    </section>
  ));
}
