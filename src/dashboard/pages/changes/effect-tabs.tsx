import { Chip, Group } from '@mantine/core';
import { useWords } from '../../i18n/words-provider.js';
import { type Counts, type Effect, effects } from './changes-search.js';
import { useFilters } from './use-filters.js';

/** The difference kinds, the worst first, and then all. */
export const kindsOf = (counts: Counts): (Effect | 'all')[] => [...effects.filter((each) => counts[each] > 0), 'all'];

/** Shows one difference kind: people with losses before gains before names. */
export function EffectTabs({ counts }: { counts: Counts }) {
  const { t, number } = useWords();
  const { search, change } = useFilters();
  const kinds = kindsOf(counts);
  const shown = kinds.find((each) => each === search.effect) ?? kinds[0] ?? 'all';
  const countOf = (kind: Effect | 'all') => (kind === 'all' ? counts.differing : counts[kind]);
  return (
    <Group gap="xs" mb="md" role="group" aria-label={t('changes.kinds')}>
      <Chip.Group value={shown} onChange={(kind) => change({ effect: kinds.find((each) => each === kind) })}>
        {kinds.map((kind) => (
          <Chip key={kind} value={kind} size="xs">
            {`${t(kind === 'all' ? 'changes.all_of_them' : `changes.${kind}`)} (${number(countOf(kind))})`}
          </Chip>
        ))}
      </Chip.Group>
    </Group>
  );
}
