import type { ErrorComponentProps } from '@tanstack/react-router';
import { useWords } from '../i18n/words-provider.js';
import { Page } from '../parts/page.js';
import { Failed } from '../parts/states.js';

/** A page could not be shown: what the API said, or a fault of the page itself. */
export function FailedPage({ error }: ErrorComponentProps) {
  const { t } = useWords();
  return (
    <main>
      <Page title={t('failed.title')}>
        <Failed error={error} onRetry={() => location.reload()} />
      </Page>
    </main>
  );
}
