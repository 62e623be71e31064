import { useWords } from '../../i18n/words-provider.js';
import { Page } from '../../parts/page.js';

export function OverviewPage() {
  const { t } = useWords();
  return <Page title={t('nav.overview')} />;
}
