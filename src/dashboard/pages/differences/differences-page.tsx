import { useQuery } from '@tanstack/react-query';
import { settingsQuery } from '../../api/queries.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { differenceCountsQuery } from '../../guild/difference-counts.js';
import { useGuild } from '../../guild/guild-context.js';
import { RoleNote } from '../../guild/role-note.js';
import { RunningResync } from '../../guild/running-resync.js';
import { useWords } from '../../i18n/words-provider.js';
import { LinkButton } from '../../parts/link-button.js';
import { Page } from '../../parts/page.js';
import { Answered, Empty } from '../../parts/states.js';
import { DifferencesCounts } from './differences-counts.js';
import { DifferencesFilters } from './differences-filters.js';
import { DifferencesList } from './differences-list.js';
import { GoLive } from './go-live.js';
import { useSwitchProgress } from './switch-progress.js';
import { UndoSwitch } from './undo-switch.js';

/** The changes if Rolelink gave the roles, and the switch to that. */
export function DifferencesPage() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const settings = useQuery(settingsQuery(guildId));
  const { jobId, found, isSwitching } = useSwitchProgress();
  const observes = settings.data?.value.mode === 'observe';
  return (
    <Page
      title={t('nav.differences')}
      lead={t('differences.lead')}
      actions={observes && <GoLive isBusy={jobId !== null} />}
    >
      {observes && <RoleNote least="admin" />}
      <RunningResync jobId={jobId} />
      {found !== null && <UndoSwitch found={found} isRunning={isSwitching} />}
      <Answered query={settings} shape={pageShapes.differences.parts}>
        {() => (observes ? <Differences /> : <Enforcing />)}
      </Answered>
    </Page>
  );
}

function Enforcing() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const toPreview = (
    <LinkButton to="/g/$guildId/preview" params={{ guildId }} variant="default">
      {t('nav.preview')}
    </LinkButton>
  );
  return (
    <Empty title={t('differences.enforcing')} action={toPreview}>
      {t('differences.enforcing_why')}
    </Empty>
  );
}

function Differences() {
  const { guildId } = useGuild();
  const counts = useQuery(differenceCountsQuery(guildId));
  return (
    <>
      <Answered
        query={counts}
        shape={[
          ['card', 1],
          ['columns', 2],
        ]}
      >
        {(data) => (
          <>
            <DifferencesCounts counts={data} />
            {data.differing > 0 && <DifferencesFilters counts={data} />}
          </>
        )}
      </Answered>
      <DifferencesList />
    </>
  );
}
