import { Alert, Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { guildKey, setupQuery } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { Section } from '../../parts/page.js';
import { Failed } from '../../parts/states.js';
import { Waiting } from '../../parts/waiting.js';
import { OutcomeWords } from './outcome-words.js';
import css from './setup.module.css';
import type { Applied } from './setup-done.js';
import { type Outcome, type Setup, stateOf, useIsChanging } from './setup-queries.js';

/** The effect of applying, in numbers; *Apply* names exactly these. */
export function OutcomeStep(props: {
  setup: Setup;
  outcome: Outcome;
  isNext: boolean;
  onApplied: (applied: Applied) => void;
}) {
  const { setup, outcome, isNext, onApplied } = props;
  const { t } = useWords();
  const state = stateOf(setup);
  const isChanging = useIsChanging();
  const { data: shown, error, isPending, mutate: show } = outcome;
  const isOld = shown !== undefined && shown.of !== state;
  return (
    <Section title={t('setup_page.outcome')}>
      <Failed error={error} />
      {isPending && <Waiting />}
      {isOld && !isPending && <Alert color="yellow">{t('setup_page.stale')}</Alert>}
      {shown !== undefined && !isOld && !isPending ? (
        <>
          <OutcomeWords preview={shown.preview} channelId={setup.choices.channelId} />
          <ApplyButtons preview={shown.preview} bots={setup.otherBots} onApplied={onApplied} />
        </>
      ) : (
        <div className={css.make}>
          <Button variant={isNext ? 'filled' : 'default'} loading={isPending || isChanging} onClick={() => show(state)}>
            {t(shown === undefined ? 'setup_page.show' : 'setup_page.show_again')}
          </Button>
          <span className={css.quiet}>{t('setup_page.show_how')}</span>
        </div>
      )}
    </Section>
  );
}

function ApplyButtons(props: {
  preview: Schemas['SetupPreview'];
  bots: readonly string[];
  onApplied: (applied: Applied) => void;
}) {
  const { preview, bots, onApplied } = props;
  const { t, list } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const apply = useMutation({
    meta: { toast: 'toast.setup' },
    mutationFn: (mode: Applied['mode']) =>
      answerOf(
        api.POST('/api/guilds/{guildId}/setup/apply', {
          params: { path: { guildId } },
          body: { key: preview.key, mode },
        }),
      ),
    async onSuccess({ panel, mode }) {
      onApplied({ mode, panel });
      await queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
    },
    onError: () => queryClient.invalidateQueries({ queryKey: setupQuery(guildId).queryKey }),
  });
  // If another bot may give roles, observing first is the safe choice.
  const modes = bots.length === 0 ? (['enforce', 'observe'] as const) : (['observe', 'enforce'] as const);
  return (
    <>
      {bots.length > 0 && <Alert color="yellow">{t('setup_page.other_bots', { bots: list(bots) })}</Alert>}
      <Failed error={apply.error} />
      <div className={css.make}>
        {modes.map((mode, index) => (
          <Button
            key={mode}
            variant={index === 0 ? 'filled' : 'default'}
            loading={apply.isPending && apply.variables === mode}
            onClick={() => apply.mutate(mode)}
          >
            {t(mode === 'enforce' ? 'config.apply' : 'setup_page.observe')}
          </Button>
        ))}
      </div>
    </>
  );
}
