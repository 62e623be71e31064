import { Progress } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { renewalMs } from '../../api/renewal.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { ForRole } from '../../guild/for-role.js';
import { useGuild } from '../../guild/guild-context.js';
import { actorName } from '../../guild/log-words.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { LinkButton } from '../../parts/link-button.js';
import { useNow } from '../../parts/now.js';
import { Page, Section } from '../../parts/page.js';
import { Answered, Failed } from '../../parts/states.js';
import { ImportCounts, ImportProblems, minutesOf, type PeopleImport } from './import-numbers.js';
import { NewImport } from './new-import.js';
import css from './people.module.css';
import { UndoImport } from './undo-import.js';

const importKey = (guildId: string) => [...guildKey(guildId), 'people-import'] as const;

/** Imports members' accounts from another bot: the dry run, the progress, and the pairs left out. */
export function PeoplePage() {
  const { t } = useWords();
  return (
    <ForRole least="admin" title={t('nav.people')}>
      <Imports />
    </ForRole>
  );
}

function Imports() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const latest = useQuery({
    queryKey: importKey(guildId),
    queryFn: () => readLatest(guildId),
    refetchInterval: ({ state }) => renewalMs(state, isUnderWay(state.data) ? 'work' : null),
  });
  return (
    <Page title={t('nav.people')} lead={t('people.lead')}>
      <Answered query={latest} shape={pageShapes.people.parts}>
        {(found) => (
          <>
            {found?.state === 'running' && <Running running={found} />}
            {found?.state !== 'running' && (
              <NewImport onStart={() => queryClient.invalidateQueries({ queryKey: guildKey(guildId) })} />
            )}
            {found !== null && found.state !== 'running' && <Ended ended={found} />}
          </>
        )}
      </Answered>
    </Page>
  );
}

const isUnderWay = (found: PeopleImport | null | undefined): boolean =>
  found?.state === 'running' || found?.undo?.state === 'running';

/** The import that began last; null where none has. */
async function readLatest(guildId: string): Promise<PeopleImport | null> {
  const found = await answerOf(api.GET('/api/guilds/{guildId}/people/import', { params: { path: { guildId } } }));
  return found.import;
}

function Running({ running: { counts, total, etaSeconds } }: { running: PeopleImport }) {
  const { t, number } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const cancel = useMutation({
    meta: { toast: 'toast.stopped' },
    mutationFn: () => answerOf(api.DELETE('/api/guilds/{guildId}/people/import', { params: { path: { guildId } } })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
  return (
    <Section title={t('people.running')}>
      <p role="status" className={css.words}>
        {t('people.done', { done: number(counts.done), total: number(total) })}{' '}
        {etaSeconds !== null && t('people.left', { minutes: minutesOf(etaSeconds) })}
      </p>
      <Progress
        size="lg"
        value={total === 0 ? 0 : (100 * counts.done) / total}
        aria-label={t('people.progress')}
        className={css.progress ?? ''}
      />
      <ImportCounts counts={counts} label={t('people.running')} />
      <ActButton variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
        {t('people.stop')}
      </ActButton>
      <Failed error={cancel.error} />
    </Section>
  );
}

function Ended({ ended }: { ended: PeopleImport }) {
  const words = useWords();
  const { t } = words;
  const now = useNow();
  const { guildId, mode } = useGuild();
  const { state, startedBy, counts, fault, finishedAt, problems } = ended;
  return (
    <Section title={t('people.last')}>
      <p className={css.words}>
        {t(`resync.state_${state}`)} · {actorName(startedBy, t)}
        {finishedAt !== null && ` · ${words.ago(finishedAt, now)}`}
      </p>
      {fault !== null && <p className={css.fault}>{t(`people.fault_${fault}`)}</p>}
      <ImportCounts counts={counts} label={t('people.last')} />
      {mode === 'observe' && (
        <LinkButton to="/g/$guildId/move" params={{ guildId }} mb="sm">
          {t('nav.move')}
        </LinkButton>
      )}
      <UndoImport ended={ended} />
      <ImportProblems problems={problems} />
    </Section>
  );
}
