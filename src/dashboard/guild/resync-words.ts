import type { Resync } from '../api/queries.js';
import type { Words } from '../i18n/words.js';

export const isOpen = ({ state }: Pick<Resync, 'state'>): boolean => state === 'queued' || state === 'running';

/** A resync's progress: "Applying: 40 of 120, about 20 s more". */
export function resyncWords(job: Resync, { t }: Pick<Words, 't'>): string {
  const { processed, total, etaSeconds } = job;
  if (job.awaitingConfirmation !== null) return t('resync.awaiting');
  if (job.waitingFor !== null) return t(waitingKey(job.waitingFor));
  if (job.state === 'queued') return t('resync.queued');
  if (job.state !== 'running') return t(`resync.state_${job.state}`);
  const done = t(`resync.phase_${job.phase}`, { processed, total });
  return etaSeconds === null ? done : `${done} ${t('resync.eta', { seconds: etaSeconds })}`;
}

function waitingKey(code: NonNullable<Resync['waitingFor']>) {
  if (code.startsWith('game_platform')) return 'resync.waiting_roblox' as const;
  if (code === 'chat_platform_unavailable') return 'resync.waiting_discord' as const;
  return 'resync.waiting_other' as const;
}
