import { Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { loadPart } from '../../api/lost-part.js';
import { differenceCountsQuery } from '../../guild/difference-counts.js';
import { useGuild } from '../../guild/guild-context.js';
import { moveQuery } from '../../guild/move-query.js';
import { RoleNote } from '../../guild/role-note.js';
import { useWords } from '../../i18n/words-provider.js';
import { LinkButton } from '../../parts/link-button.js';
import { Answered } from '../../parts/states.js';
import { Waiting } from '../../parts/waiting.js';
import type { Counts } from './changes-search.js';
import css from './differences.module.css';
import { DifferencesCounts } from './differences-counts.js';
import { DifferencesFilters } from './differences-filters.js';
import { DifferencesList } from './differences-list.js';
import { EffectTabs } from './effect-tabs.js';
import { GoLive } from './go-live.js';
import { LeftOut } from './left-out.js';
import { PartHead } from './part-head.js';

// The drawing is loaded when it is opened.
const AgreementPicture = lazy(async () => ({
  default: (await loadPart(() => import('./agreement-picture.js'))).AgreementPicture,
}));

/** The agreement between the other bot and Rolelink, the people with a difference, and the switch. */
export function ComparePart({ jobId }: { jobId: string | null }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const counts = useQuery(differenceCountsQuery(guildId));
  return (
    <>
      <PartHead
        lead={counts.data !== undefined && <Agreement counts={counts.data} />}
        actions={
          <>
            <GoLive isBusy={jobId !== null} />
            <LinkButton to="/g/$guildId/mappings/new" params={{ guildId }} variant="default">
              {t('changes.what_if')}
            </LinkButton>
          </>
        }
      />
      <RoleNote least="admin" />
      <Answered
        query={counts}
        shape={[
          ['card', 1],
          ['columns', 2],
        ]}
      >
        {(data) => (
          <>
            <PictureToPost counts={data} />
            <DifferencesCounts counts={data} />
            {data.leftOut > 0 && <LeftOut count={data.leftOut} />}
            {data.differing > 0 && (
              <>
                <EffectTabs counts={data} />
                <DifferencesFilters counts={data} />
              </>
            )}
            <DifferencesList counts={data} />
          </>
        )}
      </Answered>
    </>
  );
}

/** The other bots' names in a sentence. */
function useOtherBots(): string {
  const { t, list } = useWords();
  const { data: move } = useQuery(moveQuery(useGuild().guildId));
  const named = move?.otherBots.map(({ name }) => name) ?? [];
  return named.length > 0 ? list(named) : t('changes.other_bot');
}

/** "Bloxlink and Rolelink agree on 497 of 500 people; these 3 differ, and why". */
function Agreement({ counts: { matching, differing } }: { counts: Counts }) {
  const { t, number } = useWords();
  const bots = useOtherBots();
  const count = matching + differing;
  return (
    <Title order={2}>
      {differing === 0
        ? t('changes.agree_all', { bots, count })
        : t('changes.agree', { bots, count, matching: number(matching), differing })}
    </Title>
  );
}

function PictureToPost({ counts: { matching, differing } }: { counts: Counts }) {
  const { t } = useWords();
  const bots = useOtherBots();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={css.counts} onToggle={({ currentTarget: { open } }) => setIsOpen(open)}>
      <summary>{t('changes.picture')}</summary>
      {isOpen && (
        <Suspense fallback={<Waiting shape={[['card', 1]]} />}>
          <AgreementPicture bots={bots} matching={matching} count={matching + differing} />
        </Suspense>
      )}
    </details>
  );
}
