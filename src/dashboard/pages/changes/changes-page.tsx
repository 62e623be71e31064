import { Link, useSearch } from '@tanstack/react-router';
import { type ComponentType, lazy, Suspense } from 'react';
import { loadPart } from '../../api/lost-part.js';
import { useGuild } from '../../guild/guild-context.js';
import { RunningResync } from '../../guild/running-resync.js';
import { useWords } from '../../i18n/words-provider.js';
import { Page } from '../../parts/page.js';
import { Waiting } from '../../parts/waiting.js';
import css from './changes.module.css';
import { type ChangesTab, changesTabs } from './changes-search.js';
import { useSwitchProgress } from './switch-progress.js';
import { UndoSwitch } from './undo-switch.js';

/** A part within the place. `jobId`: the running resync. */
type Part = ComponentType<{ jobId: string | null }>;

const part = <Name extends string>(load: () => Promise<Record<Name, Part>>, name: Name) =>
  lazy(async () => ({ default: (await loadPart(load))[name] }));

const parts = {
  compare: part(() => import('./compare-part.js'), 'ComparePart'),
  preview: part(() => import('./preview-part.js'), 'PreviewPart'),
  made: part(() => import('./resync-part.js'), 'ResyncPart'),
} as const;

const names = { compare: 'changes.compare', preview: 'nav.preview', made: 'changes.made' } as const;

/** One place for changes to come and for those made: the comparison, the preview, and the resyncs (DASH-138). */
export function ChangesPage() {
  const { t } = useWords();
  const { mode } = useGuild();
  const { tab } = useSearch({ from: '/g/$guildId/changes' });
  const { jobId, found, isSwitching } = useSwitchProgress();
  const there = changesTabs.filter((each) => mode === 'observe' || each !== 'compare');
  const shown = there.find((each) => each === tab) ?? there[0] ?? 'preview';
  const Shown = parts[shown];
  return (
    <Page title={t('nav.changes')}>
      <Tabs there={there} shown={shown} />
      {shown !== 'made' && <RunningResync jobId={jobId} />}
      {found !== null && <UndoSwitch found={found} isRunning={isSwitching} />}
      <Suspense fallback={<Waiting shape={[['card', 3]]} />}>
        <Shown jobId={jobId} />
      </Suspense>
    </Page>
  );
}

function Tabs({ there, shown }: { there: readonly ChangesTab[]; shown: ChangesTab }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  return (
    <nav aria-label={t('nav.changes')} className={css.tabs}>
      {there.map((tab) => (
        <Link
          key={tab}
          to="/g/$guildId/changes"
          params={{ guildId }}
          search={{ tab }}
          className={css.tab ?? ''}
          aria-current={tab === shown ? 'page' : undefined}
        >
          {t(names[tab])}
        </Link>
      ))}
    </nav>
  );
}
