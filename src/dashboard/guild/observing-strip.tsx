import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useWords } from '../i18n/words-provider.js';
import { LinkButton } from '../parts/link-button.js';
import { Strip } from '../parts/strip.js';
import { differenceCountsQuery } from './difference-counts.js';
import { useGuild } from './guild-context.js';

/** Says on each page about an observing server that nobody is changed, and leads to the comparison (OBS-26). */
export function ObservingStrip() {
  const { t } = useWords();
  const { guildId } = useGuild();
  // The comparison itself has the same numbers in full.
  const isCompared = useLocation({ select: ({ pathname }) => pathname.endsWith('/changes') });
  const { data: counts } = useQuery({ ...differenceCountsQuery(guildId), enabled: !isCompared });
  if (isCompared) return null;
  const words = [t('observing.words')];
  if (counts !== undefined) {
    const { matching, differing } = counts;
    words.push(`${t('differences.sum', { matching, differing })}.`);
  }
  return (
    <Strip name={t('observing.name')} words={words.join(' ')}>
      <LinkButton to="/g/$guildId/changes" params={{ guildId }} size="xs" variant="default">
        {t('observing.compare')}
      </LinkButton>
    </Strip>
  );
}
