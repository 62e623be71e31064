import { Button, Group } from '@mantine/core';
import { usePrefetchQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { meQuery } from '../../api/queries.js';
import { infoQuery } from '../../api/team-queries.js';
import { OpenFrame } from '../../frame/open-frame.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { useWords } from '../../i18n/words-provider.js';
import { LinkButton } from '../../parts/link-button.js';
import { Page, Section } from '../../parts/page.js';
import { BesidePicture } from '../../parts/place.js';
import { Waiting } from '../../parts/waiting.js';
import css from './landing.module.css';
import { ProductPicture } from './product-picture.js';
import { RankPicture } from './rank-picture.js';

const points = ['verify', 'ranks', 'careful'] as const;
const people = ['members', 'admins', 'operators'] as const;

/** An introduction to Rolelink, an example of it at work, and the way in. */
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
      <ProductPicture />
      <Section title={t('landing.why')} plain>
        <Points names={points} />
      </Section>
      <Section title={t('landing.whom')} plain>
        <Points names={people} />
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

function Points({ names }: { names: readonly ((typeof points)[number] | (typeof people)[number])[] }) {
  const { t } = useWords();
  return (
    <div className={css.points}>
      {names.map((name) => (
        <section key={name} className={css.point} aria-label={t(`landing.${name}`)}>
          <h3>{t(`landing.${name}`)}</h3>
          <p>{t(`landing.${name}_text`)}</p>
        </section>
      ))}
    </div>
  );
}
