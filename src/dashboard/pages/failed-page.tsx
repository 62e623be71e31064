import type { ErrorComponentProps } from '@tanstack/react-router';
import { reloadWhenThere } from '../api/lost-part.js';
import frame from '../frame/frame.module.css';
import { useWords } from '../i18n/words-provider.js';
import { Brand } from '../parts/brand.js';
import { Page } from '../parts/page.js';
import { Failed } from '../parts/states.js';

/**
 * Replaces a page that could not be shown, inside its frame: the API's error, or the page's own fault. Retries when the
 * network returns.
 */
export function FailedPart({ error }: ErrorComponentProps) {
  const { t } = useWords();
  return (
    <Page title={t('failed.title')}>
      <Failed error={error} onRetry={reloadWhenThere} />
    </Page>
  );
}

/** The failed page with the mark alone, if not even a frame could be shown. */
export function FailedPage(props: ErrorComponentProps) {
  return (
    <>
      <div className={frame.bar}>
        <Brand to="/" />
      </div>
      <main className={frame.column}>
        <FailedPart {...props} />
      </main>
    </>
  );
}
