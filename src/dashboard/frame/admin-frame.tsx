import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { meQuery } from '../api/queries.js';
import { useWords } from '../i18n/words-provider.js';
import css from './frame.module.css';
import { adminPages } from './navigation.js';
import { NotFoundPage } from './not-found-page.js';
import { OpenFrame } from './open-frame.js';
import { ToSignIn } from './to-sign-in.js';

/** The frame around the platform's own pages. For other people they don't exist, in the API too. */
export function AdminFrame() {
  const { t } = useWords();
  const { data: me } = useSuspenseQuery(meQuery);
  if (me === null) return <ToSignIn />;
  if (!me.platformAdmin) return <NotFoundPage />;
  return (
    <OpenFrame>
      <nav aria-label={t('admin.title')}>
        <ul className={css.tabs}>
          {adminPages.map(({ to, name }) => (
            <li key={to}>
              <Link to={to} activeOptions={{ exact: true, includeSearch: false }} className={css.link ?? ''}>
                {t(name)}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Outlet />
    </OpenFrame>
  );
}
