import { type APIButtonComponent, ButtonStyle } from 'discord.js';
import { config } from '../../../config/config.js';
import { importSourceInWords } from '../../../features/accounts/import-source-words.js';
import type { MoveStep, StepState } from '../../../features/setup/move-steps.js';
import type { ServerMove } from '../../../features/setup/server-move.js';
import { t } from '../../../lib/translate.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { pressable } from '../commands/command-mention.js';
import { componentId } from '../component-id.js';
import { dashboardLink, guildPage } from '../dashboard-link.js';
import { card, pressButton, type Reply, rowOf } from './reply.js';

const { Secondary } = ButtonStyle;
const marks = { done: '✅', now: '▶️', later: '▫️' } as const;

const press = (action: string, label: string, style?: ButtonStyle.Secondary) =>
  pressButton(componentId('move', action), label, style);
const opens = (what: string, label: string, style?: ButtonStyle.Secondary) =>
  pressButton(componentId('move-form', what), label, style);

/** *Coming from another bot?*: leads to the steps on the way (OBS-95). */
export const moveButton = (): APIButtonComponent => press('open', t('move.title'), Secondary);

/** Each step on the way from another bot with its state, and the present one's button (OBS-95). */
export function moveReply(guildId: string, move: ServerMove, notes: readonly string[] = []): Reply {
  const present = move.steps.find(({ state }) => state === 'now');
  const buttons = present === undefined ? [] : buttonsOf(present.step, move);
  const lines = [
    ...notes,
    present === undefined ? t('move.over') : t('move.lead'),
    '',
    ...move.steps.map((step) => lineOf(step, move)),
    ...(present?.step === 'people' ? [pressable('move.people_list')] : []),
  ];
  const setUp = pressButton(componentId('setup', 'open'), t('help.set_up'), Secondary);
  const rows = [...rowOf(buttons), ...rowOf([setUp, ...dashboardLink(guildPage(guildId, 'move'))])];
  return card(t('move.title'), lines, present === undefined ? 'fine' : 'neutral', rows);
}

function lineOf({ step, state }: StepState, move: ServerMove): string {
  const words = [`${marks[state]} **${t(`move.${step}`)}**`];
  const told = toldOf(step, move);
  if (told !== null) words.push(told);
  else if (move.passed.some((each) => each === step)) words.push(t('move.passed'));
  if (state === 'now') words.push(howOf(step, move));
  return words.join(' · ');
}

/** A step's facts; null where there are none yet. */
function toldOf(step: MoveStep, { people, mappings, comparison }: ServerMove): string | null {
  if (step === 'people' && people !== null) return t('move.told_people', { count: people });
  if (step === 'rules' && mappings > 0) return t('move.told_rules', { count: mappings });
  if (step !== 'compare' || comparison.state === 'none') return null;
  if (comparison.state === 'running') return t('move.comparing');
  const { matching, differing } = comparison;
  return t('move.told_compare', { matching, differing });
}

const howOf = (step: MoveStep, { otherBots }: ServerMove): string =>
  step === 'stop' ? t('move.how_stop', { bots: otherBots.map(verbatim).join(', ') }) : t(`move.how_${step}`);

/** The present step's button, filled, and its ways around. */
function buttonsOf(step: MoveStep, { comparison }: ServerMove): APIButtonComponent[] {
  switch (step) {
    case 'observe':
      return [press('observe', t('people.observe_first'))];
    case 'people': {
      const bots = config().peopleImport.from.map((bot, index) =>
        opens(bot, importSourceInWords(bot), index === 0 ? undefined : Secondary),
      );
      return [...bots, press('skip', t('move.skip'), Secondary)];
    }
    case 'rules':
      return [opens('rules', t('move.do_rules'))];
    case 'compare':
      if (comparison.state !== 'done') return [press('compare', t('move.do_compare'))];
      return [press('differences', t('move.see')), press('fine', t('move.fine'), Secondary)];
    case 'live':
      return [press('live', t('move.live'))];
    case 'stop':
      return [press('open', t('setup.check_again')), press('observe', t('people.observe_first'), Secondary)];
  }
}
