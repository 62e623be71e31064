import { useQuery } from '@tanstack/react-query';
import { platformMetricsQuery } from '../../api/admin-queries.js';
import { infoQuery } from '../../api/team-queries.js';
import { useWords } from '../../i18n/words-provider.js';
import { Page, Section } from '../../parts/page.js';
import { Answered } from '../../parts/states.js';
import { AllServers } from './all-servers.js';
import { PlatformFigures } from './platform-figures.js';

/** The platform operator's page: numbers, and every server, which can be suspended here. */
export function PlatformPage() {
  const { t } = useWords();
  const metrics = useQuery(platformMetricsQuery);
  const info = useQuery(infoQuery);
  return (
    <Page title={t('admin.title')} lead={t('admin.lead')}>
      <Section title={t('overview.figures')} plain>
        <Answered
          query={metrics}
          shape={[
            ['figures', 8],
            ['lines', 3],
          ]}
        >
          {(data) => <PlatformFigures metrics={data} areSold={info.data?.billing === true} />}
        </Answered>
      </Section>
      <Section title={t('admin.servers')} plain>
        <AllServers />
      </Section>
    </Page>
  );
}
