import { type APIButtonComponent, ButtonStyle, TimestampStyles, time } from 'discord.js';
import { holds, type TeamRole } from '../../../core/actors/team-roles.js';
import type { StoredPlan } from '../../../features/sync/plan/plan-model.js';
import { viewResync } from '../../../features/sync/resync/resync-view.js';
import { clock } from '../../../lib/clock.js';
import { type TextKey, t } from '../../../lib/translate.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { pressable } from '../commands/command-mention.js';
import { componentId } from '../component-id.js';
import { dashboardLink, guildPage } from '../dashboard-link.js';
import { note, pressButton, type Reply, type StateColor } from './reply.js';

type ResyncView = ReturnType<typeof viewResync>;

const barLength = 20;

const waitingWords: Readonly<Record<string, TextKey>> = {
  game_platform_unavailable: 'resync.waiting_for_game',
  game_platform_closed: 'resync.waiting_for_game',
  chat_platform_unavailable: 'resync.waiting_for_chat',
};

/**
 * A resync's progress as text and bar, with the buttons available to `role`. All their state is in custom ids, so they
 * work after a restart. `remark` is shown above.
 */
export function resyncProgress(job: StoredPlan, role: TeamRole | null, remark: string): Reply {
  const view = viewResync(job);
  const lines = [
    remark === '' ? undefined : remark,
    headline(view),
    ...details(view),
    view.error === null ? undefined : verbatim(view.error.message),
  ];
  return note(stateOf(view), lines.filter((line) => line !== undefined).join('\n'), [
    ...buttons(job, role),
    ...dashboardLink(guildPage(job.guildId, 'changes', { tab: 'made' })),
  ]);
}

export function isOver({ state }: Pick<StoredPlan, 'state'>): boolean {
  return state !== 'queued' && state !== 'running';
}

/** A resync that waits needs attention. */
function stateOf({ state, awaitingConfirmation, waitingFor }: ResyncView): StateColor {
  if (state === 'completed') return 'fine';
  if (state === 'failed') return 'trouble';
  return awaitingConfirmation !== null || waitingFor !== null ? 'attention' : 'neutral';
}

function headline({ state, phase, awaitingConfirmation: held }: ResyncView): string {
  if (held !== null) return pressable('resync.held', { losing: held.losing, percent: Math.round(held.share * 100) });
  const stage = state === 'running' ? phase : state;
  return t(`resync.${stage}`);
}

function details(view: ResyncView): string[] {
  const { state, total, processed, etaSeconds, waitingFor, changed, failed, blocked } = view;
  if (state === 'queued') return [];
  const done = total === 0 ? 1 : Math.min(processed / total, 1);
  return [
    ...(state === 'running' ? [t('resync.bar', { bar: barOf(done), percent: Math.floor(done * 100) })] : []),
    t('resync.counts', { processed, total, changed, failed, blocked }),
    ...(etaSeconds === null ? [] : [t('resync.eta', { when: inSeconds(etaSeconds) })]),
    ...(waitingFor === null ? [] : [t(waitingWords[waitingFor] ?? 'resync.waiting')]),
  ];
}

function buttons(
  { _id: jobId, state, awaitingConfirmation: held }: StoredPlan,
  role: TeamRole | null,
): APIButtonComponent[] {
  if (isOver({ state })) return [];
  const confirm = (since: Date) =>
    pressButton(componentId('resync-confirm', jobId, String(since.getTime())), t('resync.confirm'), ButtonStyle.Danger);
  const cancel = pressButton(componentId('resync-cancel', jobId), t('resync.cancel'), ButtonStyle.Secondary);
  return [
    ...(held !== undefined && holds(role, 'admin') ? [confirm(held.since)] : []),
    ...(holds(role, 'manager') ? [cancel] : []),
  ];
}

function barOf(share: number): string {
  const full = Math.floor(share * barLength);
  return '█'.repeat(full) + '░'.repeat(barLength - full);
}

/** A point in time as a Discord timestamp, which counts down automatically. */
const inSeconds = (seconds: number): string =>
  time(new Date(clock.epochMs() + seconds * 1000), TimestampStyles.RelativeTime);
