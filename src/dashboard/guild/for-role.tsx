import type { ReactNode } from 'react';
import { useWords } from '../i18n/words-provider.js';
import { Page } from '../parts/page.js';
import { Empty } from '../parts/states.js';
import { useReasonAgainst } from './guild-context.js';

/** A page that requires a team role. People below it see the required role, and no request is made. */
export function ForRole({
  least,
  title,
  children,
}: {
  least: 'manager' | 'admin';
  title: string;
  children: ReactNode;
}) {
  const { t } = useWords();
  if (useReasonAgainst(least) === undefined) return children;
  return (
    <Page title={title}>
      <Empty title={t('role.not_yours')}>{t('role.page_needed', { role: t(`role.${least}`) })}</Empty>
    </Page>
  );
}
