import { useMatches } from '@tanstack/react-router';
import { useWords } from '../i18n/words-provider.js';
import { PageHead } from '../parts/page.js';
import { BesideList, BesidePicture, InCard } from '../parts/place.js';
import { Waiting } from '../parts/waiting.js';
import { useWide } from '../parts/wide.js';
import css from './frame.module.css';
import { OpenFrame } from './open-frame.js';
import type { PageShape } from './page-shapes.js';

/** Stands for a page until its script is there: its own title above its outline. */
export function PageWaiting() {
  const { t } = useWords();
  const shape: PageShape | undefined = useMatches({ select: (matches) => matches.at(-1)?.staticData.shape });
  const isWide = useWide();
  if (shape === undefined) return null;
  const { lead, acts, back, parts, list }: Omit<PageShape, 'title'> = isWide ? (shape.wide ?? shape) : shape;
  return (
    <>
      <PageHead
        title={t(shape.title)}
        lead={lead === 'data' ? '\u00A0' : lead && t(lead)}
        actions={(acts ?? back) !== undefined && <ActsWaiting acts={acts} back={back} />}
      />
      {list === undefined ? (
        <Waiting shape={parts} />
      ) : (
        <BesideList list={<Waiting shape={list} />}>
          <Waiting shape={parts} />
        </BesideList>
      )}
    </>
  );
}

/** The buttons beside a title, in their size. */
function ActsWaiting({
  acts = [],
  back,
}: {
  acts: PageShape['acts'] | undefined;
  back: PageShape['back'] | undefined;
}) {
  const { t } = useWords();
  return (
    <>
      {acts.map((act) => (
        <span key={act} className={css.act} aria-hidden="true">
          {t(act)}
        </span>
      ))}
      {back !== undefined && (
        <span className={css.back} aria-hidden="true">
          {t(back)}
        </span>
      )}
    </>
  );
}

/** The same with the frame for pages that belong to no server. */
export const OpenWaiting = () => (
  <OpenFrame>
    <PageWaiting />
  </OpenFrame>
);

/** The same for the landing page, which begins beside a picture. */
export const LandingWaiting = () => (
  <OpenFrame>
    <BesidePicture picture={<Waiting shape={[['card', 6]]} />}>
      <PageWaiting />
    </BesidePicture>
    <Waiting shape={[['picture', 1]]} />
  </OpenFrame>
);

/** The same for a page that is one card. */
export const CardWaiting = () => (
  <OpenFrame>
    <InCard>
      <PageWaiting />
    </InCard>
  </OpenFrame>
);

/** The same for the platform's own pages. Their links show when the person is known to be an administrator. */
export function AdminWaiting() {
  const { t } = useWords();
  return (
    <OpenFrame>
      <div className={css.tabs} aria-hidden="true">
        <span className={`${css.link} ${css.back}`}>{t('admin.servers')}</span>
      </div>
      <PageWaiting />
    </OpenFrame>
  );
}
