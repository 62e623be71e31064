import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../client/api-types.js';
import { type Group, groupsQuery } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { NumberField } from '../../parts/number-field.js';
import { Answered } from '../../parts/states.js';
import css from './tokens.module.css';

const highest = 254;
const mostPerHour = 1_000;

/** The limits as they stand in the form. Undefined groups: nobody has chosen yet. */
interface Draft {
  groupIds: string[] | undefined;
  lowestRank: number | null;
  highestRank: number | null;
  mayDemote: boolean;
  perHour: number | null;
}

type Limits = Schemas['TokenRanking'];

/** The limits of a token of the role `ranker`, and whether they are whole. */
export function useRankerLimits() {
  const [draft, setDraft] = useState<Draft>({
    ...{ groupIds: undefined, lowestRank: 1, highestRank: null },
    ...{ mayDemote: false, perHour: 60 },
  });
  const change = (changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed }));
  const { guildId } = useGuild();
  const groups = useQuery(groupsQuery(guildId));
  const ranked = groups.data?.filter(({ ranking }) => ranking) ?? [];
  // A server's only group is chosen already.
  const groupIds = draft.groupIds ?? (ranked.length === 1 ? ranked.map(({ groupId }) => groupId) : []);
  return { draft: { ...draft, groupIds }, change, groups, limits: limitsOf({ ...draft, groupIds }) };
}

/** Whole limits, or undefined. Pure. */
function limitsOf({ groupIds = [], lowestRank, highestRank, mayDemote, perHour }: Draft): Limits | undefined {
  if (groupIds.length === 0 || lowestRank === null || highestRank === null || perHour === null) return undefined;
  return lowestRank > highestRank ? undefined : { groupIds, lowestRank, highestRank, mayDemote, perHour };
}

/** The fields of those limits. */
export function RankerFields({
  form: { draft, change, groups },
  problems,
}: {
  form: ReturnType<typeof useRankerLimits>;
  problems: Readonly<Record<string, string>>;
}) {
  const { t } = useWords();
  const { groupIds, lowestRank, highestRank, mayDemote, perHour } = draft;
  const areSwapped = lowestRank !== null && highestRank !== null && lowestRank > highestRank;
  return (
    <Answered query={groups} shape={[['fields', 4]]}>
      {(all) => {
        const ranked = all.filter(({ ranking }) => ranking);
        if (ranked.length === 0) return <p>{t('token_ranks.no_groups')}</p>;
        return (
          <>
            <Checkbox.Group
              label={t('token_ranks.groups')}
              value={groupIds}
              error={problems['ranking.groupIds']}
              onChange={(ids) => change({ groupIds: ids })}
            >
              <div className={css.choices}>
                {ranked.map(({ groupId, name }) => (
                  <Checkbox key={groupId} value={groupId} label={name} />
                ))}
              </div>
            </Checkbox.Group>
            <div className={css.pair}>
              <NumberField
                label={t('token_ranks.lowest')}
                min={1}
                max={highest}
                required
                value={lowestRank}
                error={problems['ranking.lowestRank']}
                onChange={(rank) => change({ lowestRank: rank })}
              />
              <NumberField
                label={t('token_ranks.highest')}
                min={1}
                max={highest}
                required
                value={highestRank}
                error={areSwapped ? t('token_ranks.swapped') : problems['ranking.highestRank']}
                onChange={(rank) => change({ highestRank: rank })}
              />
            </div>
            {ranked
              .filter(({ groupId }) => groupIds.includes(groupId))
              .map((group) => (
                <Covered key={group.groupId} group={group} from={lowestRank} to={highestRank} />
              ))}
            <Checkbox
              label={t('token_ranks.demotes')}
              checked={mayDemote}
              onChange={({ currentTarget: { checked } }) => change({ mayDemote: checked })}
            />
            <NumberField
              label={t('token_ranks.per_hour')}
              min={1}
              max={mostPerHour}
              required
              value={perHour}
              error={problems['ranking.perHour']}
              onChange={(count) => change({ perHour: count })}
            />
          </>
        );
      }}
    </Answered>
  );
}

/** The roles of a group with a rank between these two: a number alone says little. */
function Covered({ group: { name, roles }, from, to }: { group: Group; from: number | null; to: number | null }) {
  const { t } = useWords();
  if (from === null || to === null || from > to) return null;
  const covered = roles.filter(({ rank }) => rank >= from && rank <= to).sort((a, b) => a.rank - b.rank);
  const names = covered.map((role) => `${role.name} (${role.rank})`).join(', ');
  return (
    <p role="status" className={css.note}>
      {covered.length === 0
        ? t('token_ranks.covers_none', { group: name })
        : t('token_ranks.covers', { group: name, roles: names })}
    </p>
  );
}
