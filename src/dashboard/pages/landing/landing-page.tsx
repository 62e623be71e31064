import { Button, Group } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { meQuery } from '../../api/queries.js';
import { infoQuery } from '../../api/team-queries.js';
import { OpenFrame } from '../../frame/open-frame.js';
import { useWords } from '../../i18n/words-provider.js';
import { LinkButton } from '../../parts/link-button.js';
import { Page, Section } from '../../parts/page.js';
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
      <div className={css.hero}>
        <div>
          <Page title={t('landing.title')} lead={t('landing.lead')}>
            <WaysIn />
          </Page>
        </div>
        <RankPicture />
      </div>
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
  const { data: me } = useSuspenseQuery(meQuery);
  const { data: info } = useQuery(infoQuery);
  const inviteUrl = info?.inviteUrl ?? null;
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
