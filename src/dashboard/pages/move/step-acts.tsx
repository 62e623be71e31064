import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import type { Move, MoveStep } from '../../guild/move-query.js';
import { useObserve } from '../../guild/use-observe.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { LinkButton } from '../../parts/link-button.js';
import { Failed } from '../../parts/states.js';
import css from './move.module.css';

interface StepProps {
  step: MoveStep;
  state: 'done' | 'now' | 'later';
  move: Move;
}

/** The present step's primary button, and quiet links to the places of the others. */
export function StepActs({ step, state, move }: StepProps) {
  if (state !== 'now') return <PlaceLink step={step} isNow={false} />;
  switch (step) {
    case 'observe':
      return <Observe isMain />;
    case 'compare':
      return <CompareActs move={move} />;
    case 'people':
      return (
        <span className={css.acts}>
          <Pass step="people" move={move} />
          <PlaceLink step={step} isNow />
        </span>
      );
    case 'stop':
      return <Observe isMain={false} />;
    default:
      return <PlaceLink step={step} isNow />;
  }
}

const places = {
  people: { to: '/g/$guildId/people', label: 'move.do_people' },
  rules: { to: '/g/$guildId/mappings/import', label: 'move.do_rules' },
  compare: { to: '/g/$guildId/changes', label: 'changes.compare' },
  live: { to: '/g/$guildId/changes', label: 'move.live' },
} as const;

/** A link to a step's page, where it has one. */
function PlaceLink({ step, isNow }: { step: MoveStep; isNow: boolean }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  if (step === 'observe' || step === 'stop') return null;
  const { to, label } = places[step];
  return (
    <LinkButton to={to} params={{ guildId }} size={isNow ? 'sm' : 'xs'} variant={isNow ? 'filled' : 'subtle'}>
      {t(label)}
    </LinkButton>
  );
}

/** *Observe first*: the present step, or the way back from giving roles beside another bot. */
function Observe({ isMain }: { isMain: boolean }) {
  const { t } = useWords();
  const reason = useReasonAgainst('admin');
  const observe = useObserve();
  return (
    <span className={css.acts}>
      <Failed error={observe.error} />
      <ActButton
        reason={reason}
        variant={isMain ? 'filled' : 'default'}
        loading={observe.isPending}
        onClick={() => observe.mutate()}
      >
        {t('people.observe_first')}
      </ActButton>
    </span>
  );
}

/** *Compare now* starts a resync. It changes nobody while the server observes. */
function CompareActs({ move }: { move: Move }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const reason = useReasonAgainst('manager');
  const compare = useMutation({
    mutationFn: () => answerOf(api.POST('/api/guilds/{guildId}/resync', { params: { path: { guildId } }, body: {} })),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
      await navigate({ to: '/g/$guildId/changes', params: { guildId } });
    },
  });
  if (move.comparison.state !== 'none') {
    return (
      <span className={css.acts}>
        {move.comparison.state === 'done' && <Pass step="compare" move={move} />}
        <PlaceLink step="compare" isNow />
      </span>
    );
  }
  return (
    <span className={css.acts}>
      <Failed error={compare.error} />
      <ActButton reason={reason} loading={compare.isPending} onClick={() => compare.mutate()}>
        {t('move.do_compare')}
      </ActButton>
    </span>
  );
}

/** *Skip*: passes over the step. */
function Pass({ step, move }: { step: Move['passed'][number]; move: Move }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const reason = useReasonAgainst('admin');
  const pass = useMutation({
    mutationFn: () =>
      answerOf(
        api.PATCH('/api/guilds/{guildId}/move', {
          params: { path: { guildId } },
          body: { passed: [...new Set([...move.passed, step])] },
        }),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
  return (
    <>
      <Failed error={pass.error} />
      <ActButton reason={reason} variant="default" loading={pass.isPending} onClick={() => pass.mutate()}>
        {t(step === 'people' ? 'move.skip' : 'move.fine')}
      </ActButton>
    </>
  );
}
