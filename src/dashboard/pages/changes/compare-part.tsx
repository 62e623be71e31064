import { Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { differenceCountsQuery } from '../../guild/difference-counts.js';
import { useGuild } from '../../guild/guild-context.js';
import { moveQuery } from '../../guild/move-query.js';
import { RoleNote } from '../../guild/role-note.js';
import { useWords } from '../../i18n/words-provider.js';
import { Answered } from '../../parts/states.js';
import type { Counts } from './changes-search.js';
import { DifferencesCounts } from './differences-counts.js';
import { DifferencesFilters } from './differences-filters.js';
import { DifferencesList } from './differences-list.js';
import { EffectTabs } from './effect-tabs.js';
import { GoLive } from './go-live.js';
import { LeftOut } from './left-out.js';
import { PartHead } from './part-head.js';

/** The agreement between the other bot and Rolelink, the people with a difference, and the switch. */
export function ComparePart({ jobId }: { jobId: string | null }) {
  const { guildId } = useGuild();
  const counts = useQuery(differenceCountsQuery(guildId));
  return (
    <>
      <PartHead
        lead={counts.data !== undefined && <Agreement counts={counts.data} />}
        actions={<GoLive isBusy={jobId !== null} />}
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

/** "Bloxlink and Rolelink agree on 497 of 500 people; these 3 differ, and why". */
function Agreement({ counts: { matching, differing } }: { counts: Counts }) {
  const { t, list, number } = useWords();
  const { guildId } = useGuild();
  const { data: move } = useQuery(moveQuery(guildId));
  const named = move?.otherBots.map(({ name }) => name) ?? [];
  const bots = named.length > 0 ? list(named) : t('changes.other_bot');
  const count = matching + differing;
  return (
    <Title order={2}>
      {differing === 0
        ? t('changes.agree_all', { bots, count })
        : t('changes.agree', { bots, count, matching: number(matching), differing })}
    </Title>
  );
}
