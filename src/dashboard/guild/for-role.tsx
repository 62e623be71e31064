import type { ReactNode } from 'react';
import type { TeamRole } from '../api/queries.js';
import { useWords } from '../i18n/words-provider.js';
import { Page } from '../parts/page.js';
import { Empty } from '../parts/states.js';
import { useReasonAgainst } from './guild-context.js';

/** A page that requires a team role. People below it see the required role, and no request is made. */
export function ForRole({ least, title, children }: { least: TeamRole; title: string; children: ReactNode }) {
  const reason = useReasonAgainst(least);
  const { t } = useWords();
  if (reason === undefined) return children;
  return (
    <Page title={title}>
      <Empty title={t('role.not_yours')}>{reason}</Empty>
    </Page>
  );
}
