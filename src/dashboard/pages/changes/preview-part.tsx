import { Alert, Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { PreviewWarning } from '../../guild/preview-warning.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Confirm } from '../../parts/confirm.js';
import { isoIn, useNow } from '../../parts/now.js';
import { Empty, Failed } from '../../parts/states.js';
import { Waiting } from '../../parts/waiting.js';
import { PartHead } from './part-head.js';
import { PlanList } from './plan-list.js';
import css from './preview.module.css';

type Preview = Schemas['Preview'];

/** The plan parts read so far; they arrive one after the other. */
interface Plan {
  previewId: string;
  members: Preview['members'];
  summary: Preview['summary'];
  warnings: Preview['warnings'];
  nextCursor: string | null;
  /** ISO; the shown plan can be applied until then. */
  validUntil: string;
}

/** How long a preview is stored (RESYNC-24). */
const storedForMs = 15 * 60_000;

/** A resync's preview, as a plan to be applied unchanged. */
export function PreviewPart() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const [plan, setPlan] = useState<Plan>();
  const read = useMutation({
    mutationFn: (cursor: string | null) =>
      answerOf(
        api.POST('/api/guilds/{guildId}/sync/preview', {
          params: { path: { guildId } },
          body: cursor === null ? {} : { cursor },
        }),
      ),
    onSuccess: (part, cursor) => setPlan((before) => joined(cursor === null ? undefined : before, part)),
  });
  return (
    <>
      <PartHead
        lead={<p>{t('preview.lead')}</p>}
        actions={
          plan !== undefined && (
            <Button variant="default" loading={read.isPending} onClick={() => read.mutate(null)}>
              {t('preview.again')}
            </Button>
          )
        }
      />
      <Failed error={read.error} />
      {read.isPending && plan === undefined && (
        <Waiting
          shape={[
            ['card', 2],
            ['columns', 2],
            ['table', 8],
          ]}
        />
      )}
      {plan === undefined && !read.isPending && <NoPlan onMake={() => read.mutate(null)} />}
      {plan !== undefined && (
        <>
          <PlanHead plan={plan} onAgain={() => read.mutate(null)} />
          <PlanList members={plan.members} />
          {plan.nextCursor !== null && (
            <Button variant="default" mt="md" loading={read.isPending} onClick={() => read.mutate(plan.nextCursor)}>
              {t('list.more')}
            </Button>
          )}
        </>
      )}
    </>
  );
}

function NoPlan({ onMake }: { onMake: () => void }) {
  const { t } = useWords();
  return (
    <Empty title={t('preview.none')} action={<Button onClick={onMake}>{t('preview.make')}</Button>}>
      {t('preview.none_why')}
    </Empty>
  );
}

const joined = (before: Plan | undefined, part: Preview): Plan => ({
  ...part,
  members: [...(before?.members ?? []), ...part.members],
  validUntil: isoIn(storedForMs),
});

function PlanHead({ plan, onAgain }: { plan: Plan; onAgain: () => void }) {
  const words = useWords();
  const { t } = words;
  const { guildId } = useGuild();
  const now = useNow();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const reason = useReasonAgainst('manager');
  const { summary, previewId, validUntil } = plan;
  const apply = useMutation({
    meta: { toast: 'toast.resync' },
    mutationFn: () =>
      answerOf(api.POST('/api/guilds/{guildId}/resync', { params: { path: { guildId } }, body: { previewId } })),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
      await navigate({ to: '/g/$guildId/changes', params: { guildId }, search: { tab: 'made' } });
    },
  });
  const isOver = Date.parse(validUntil) <= now;
  const told = t('preview.summary', {
    changed: summary.changed,
    adding: summary.adding,
    removing: summary.removing,
    renamed: summary.renamed,
  });
  return (
    <section className={css.head} aria-label={t('preview.sum')}>
      <div className={css.sum}>
        <strong>{told}</strong>
        {summary.kicking > 0 && (
          <strong className={css.kick}>{t('preview.kicking', { count: summary.kicking })}</strong>
        )}
        <span className={css.quiet}>
          {t('preview.rest', {
            unchanged: summary.checked - summary.changed - summary.unknown,
            unknown: summary.unknown,
          })}
        </span>
      </div>
      {isOver ? (
        <Button onClick={onAgain}>{t('preview.again')}</Button>
      ) : (
        <ActButton reason={summary.changed === 0 ? t('preview.nothing') : reason} onClick={() => setAsking(true)}>
          {t('preview.apply')}
        </ActButton>
      )}
      <p className={css.valid}>{isOver ? t('preview.over') : t('preview.valid', { time: words.time(validUntil) })}</p>
      <Warnings plan={plan} />
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t('preview.apply_title')}
        act={t('preview.apply')}
        gentle={summary.removing + summary.kicking === 0}
        mutation={apply}
      >
        <p>{told}</p>
        {summary.kicking > 0 && <p>{t('preview.kicking', { count: summary.kicking })}</p>}
        <p>{t('preview.apply_words')}</p>
      </Confirm>
    </section>
  );
}

/** A warning about losses says more than the removal limit alone. */
const isAboutLosses = ({ code }: Plan['warnings'][number]): boolean =>
  code === 'mass_removal' || code === 'people_unknown';

/** Things to know before the plan is applied: first that a resync would stop. */
function Warnings({ plan: { summary, warnings } }: { plan: Plan }) {
  const { t } = useWords();
  const limit = summary.wouldStopAtBrake ? warnings.find(isAboutLosses) : undefined;
  return (
    <>
      {summary.wouldStopAtBrake && (
        <Alert color="yellow" className={css.removalLimit} title={t('preview.brake')}>
          {limit === undefined ? t('preview.brake_why') : <PreviewWarning warning={limit} className={css.limit} />}
        </Alert>
      )}
      {warnings
        .filter((warning) => warning !== limit)
        .map((warning) => (
          <PreviewWarning key={`${warning.code} ${warning.detail}`} warning={warning} className={css.warning} />
        ))}
    </>
  );
}
