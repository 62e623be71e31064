import { useQuery } from '@tanstack/react-query';
import { lastChangesQuery, overviewQuery } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { RunningResync } from '../../guild/running-resync.js';
import { useWords } from '../../i18n/words-provider.js';
import { Page, Section } from '../../parts/page.js';
import { Answered } from '../../parts/states.js';
import { Feed } from './feed.js';
import { Figures } from './figures.js';
import { HistorySection } from './history-section.js';
import css from './overview.module.css';
import { SetupChecklist } from './setup-checklist.js';
import { ToDoList } from './to-do-list.js';

/** The server's state: to-dos first, then running work, then the figures. */
export function OverviewPage() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const { health } = useGuild();
  const overview = useQuery(overviewQuery(guildId));
  // A server without mappings has nothing to show yet but the way to them, and its obstacles.
  if (overview.data?.counts.mappings === 0) {
    return (
      <Page title={t('nav.overview')}>
        {health.length > 0 && <ToDoList overview={overview.data} />}
        <SetupChecklist overview={overview.data} />
      </Page>
    );
  }
  return (
    <Page title={t('nav.overview')}>
      <ToDoList overview={overview.data} />
      <Answered query={overview} shape={[['figures', 6]]}>
        {(data) => (
          <>
            <SetupChecklist overview={data} />
            <RunningResync jobId={data.sync.jobId} />
            <Figures overview={data} />
          </>
        )}
      </Answered>
      <HistorySection />
      <LastChanges />
    </Page>
  );
}

function LastChanges() {
  const words = useWords();
  const { guildId } = useGuild();
  const changes = useQuery(lastChangesQuery(guildId));
  return (
    <Section title={words.t('overview.last_changes')}>
      <Answered query={changes} shape={[['list', 5]]}>
        {({ data }) =>
          data.length === 0 ? <p className={css.quiet}>{words.t('overview.no_changes')}</p> : <Feed entries={data} />
        }
      </Answered>
    </Section>
  );
}
