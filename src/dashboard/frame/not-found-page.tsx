import { useWords } from '../i18n/words-provider.js';
import { LinkButton } from '../parts/link-button.js';
import { Page } from '../parts/page.js';
import { OpenFrame } from './open-frame.js';

/** The address names no page. */
export function NotFoundPage() {
  const { t } = useWords();
  return (
    <OpenFrame>
      <Page title={t('not_found.title')} lead={t('not_found.lead')}>
        <LinkButton to="/" variant="default">
          {t('not_found.home')}
        </LinkButton>
      </Page>
    </OpenFrame>
  );
}
