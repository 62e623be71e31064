import type { ReactNode } from 'react';
import { useWords } from '../i18n/words-provider.js';
import { Brand } from '../parts/brand.js';
import { Offline } from '../parts/offline.js';
import { AccountMenu } from './account-menu.js';
import css from './frame.module.css';

/** The frame around pages that belong to no server: a bar, and one column. */
export function OpenFrame({ children }: { children: ReactNode }) {
  const { t } = useWords();
  return (
    <>
      <a href="#content" className={css.skip}>
        {t('frame.skip')}
      </a>
      <section className={css.bar} aria-label={t('frame.top')}>
        <Brand to="/" />
        <AccountMenu />
      </section>
      <main id="content" className={css.column}>
        <Offline />
        {children}
      </main>
      <footer className={css.foot}>
        <a href="/docs">{t('frame.api')}</a>
        <a href="/privacy">{t('frame.privacy')}</a>
      </footer>
    </>
  );
}
