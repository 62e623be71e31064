import { Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { resyncQuery } from '../api/queries.js';
import { useWords } from '../i18n/words-provider.js';
import { LinkButton } from '../parts/link-button.js';
import { Strip } from '../parts/strip.js';
import { useGuild } from './guild-context.js';
import { isOpen, resyncWords } from './resync-words.js';
import css from './running-resync.module.css';

/** A strip with the resync that is under way. */
export function RunningResync({ jobId }: { jobId: string | null }) {
  const words = useWords();
  const { guildId } = useGuild();
  const { data: job } = useQuery({ ...resyncQuery(guildId, jobId ?? ''), enabled: jobId !== null });
  if (job === undefined || !isOpen(job)) return null;
  const share = job.total === 0 ? 0 : (100 * job.processed) / job.total;
  return (
    <Strip name={words.t('resync.running')} words={resyncWords(job, words)}>
      <LinkButton to="/g/$guildId/changes" params={{ guildId }} search={{ tab: 'made' }} size="xs" variant="default">
        {words.t('action.view')}
      </LinkButton>
      <Progress className={css.bar ?? ''} value={share} aria-label={words.t('resync.progress')} />
    </Strip>
  );
}
