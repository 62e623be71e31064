import { useQuery } from '@tanstack/react-query';
import { pageShapes } from '../../frame/page-shapes.js';
import { useGuild } from '../../guild/guild-context.js';
import { type Move, moveQuery } from '../../guild/move-query.js';
import { RoleNote } from '../../guild/role-note.js';
import { useWords } from '../../i18n/words-provider.js';
import { Page } from '../../parts/page.js';
import { Answered } from '../../parts/states.js';
import css from './move.module.css';
import { StepActs } from './step-acts.js';

type Step = Move['steps'][number];

/** *Coming from another bot?*: the way in steps, each with its state, and one primary button (OBS-95). */
export function MovePage() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const move = useQuery(moveQuery(guildId));
  return (
    <Page title={t('move.title')} lead={t('move.lead')}>
      <RoleNote least="admin" />
      <Answered query={move} shape={pageShapes.move.parts}>
        {(data) => (
          <>
            {data.steps.every(({ state }) => state === 'done') && <p role="status">{t('move.over')}</p>}
            <ol className={css.steps}>
              {data.steps.map((step) => (
                <StepRow key={step.step} step={step} move={data} />
              ))}
            </ol>
          </>
        )}
      </Answered>
    </Page>
  );
}

const marks = { done: '✓', now: '→', later: '' } as const;

function StepRow({ step: { step, state }, move }: { step: Step; move: Move }) {
  const { t, list } = useWords();
  const told = useTold(step, move);
  const bots = list(move.otherBots.map(({ name }) => name));
  return (
    <li aria-current={state === 'now' ? 'step' : undefined} className={css[state]}>
      <span className={css.mark} aria-hidden="true">
        {marks[state]}
      </span>
      <span className={css.words}>
        <span>
          <strong>{t(`move.${step}`)}</strong> <span className={css.quiet}>{told ?? t(`move.state_${state}`)}</span>
        </span>
        {state === 'now' && (
          <span className={css.quiet}>{step === 'stop' ? t('move.how_stop', { bots }) : t(`move.how_${step}`)}</span>
        )}
      </span>
      <StepActs step={step} state={state} move={move} />
    </li>
  );
}

/** A step's facts; undefined where there are none yet. */
function useTold(step: Step['step'], { people, mappings, comparison, passed }: Move): string | undefined {
  const { t } = useWords();
  const { state, matching, differing } = comparison;
  if (step === 'people' && people !== null) return t('move.told_people', { count: people });
  if (step === 'rules' && mappings > 0) return t('move.told_rules', { count: mappings });
  if (step === 'compare' && state === 'running') return t('move.comparing');
  if (step === 'compare' && state === 'done') return t('move.told_compare', { matching, differing });
  return passed.some((each) => each === step) ? t('move.passed') : undefined;
}
