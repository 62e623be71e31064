import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { hasCode } from '../../api/refusal.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Confirm } from '../../parts/confirm.js';
import { Failed } from '../../parts/states.js';
import { PlanNumbers } from './plan-numbers.js';

type Preview = Schemas['Preview'];

/** Whether the shown plan can't be applied any more, so that only a new one helps. */
const isOutdated = (error: unknown): boolean => hasCode(error, 'preview_expired') || hasCode(error, 'preview_applied');

/** Reads everything that would be done, shows the numbers, and applies exactly that. `isBusy`: a resync is running. */
export function GoLive({ isBusy }: { isBusy: boolean }) {
  const { t } = useWords();
  const reason = useReasonAgainst('admin') ?? (isBusy ? t('differences.go_live_busy') : undefined);
  const [shown, setShown] = useState<Preview>();
  const [isNew, setIsNew] = useState(false);
  const read = useReadPlan(setShown);
  const apply = useApply(shown?.previewId ?? '', async () => {
    setIsNew(true);
    // A failed reading is shown in the dialog, and the next press tries it again.
    await read.mutateAsync().catch(() => undefined);
  });
  const close = () => {
    setShown(undefined);
    setIsNew(false);
  };
  return (
    <>
      <Failed error={read.error} />
      <ActButton reason={reason} loading={read.isPending} onClick={() => read.mutate()}>
        {t('differences.go_live')}
      </ActButton>
      <Confirm
        open={shown !== undefined}
        onClose={close}
        title={t('differences.go_live_title')}
        act={t('differences.go_live')}
        gentle
        mutation={isOutdated(apply.error) ? { ...apply, error: read.error } : apply}
      >
        {shown !== undefined && <PlanNumbers summary={shown.summary} isNew={isNew} reading={read.status} />}
      </Confirm>
    </>
  );
}

function useReadPlan(onSuccess: (plan: Preview) => void) {
  const { guildId } = useGuild();
  const params = { path: { guildId } };
  return useMutation({
    async mutationFn() {
      let part = await answerOf(api.POST('/api/guilds/{guildId}/sync/preview', { params, body: {} }));
      const { previewId } = part;
      while (part.nextCursor !== null && part.previewId === previewId) {
        const body = { cursor: part.nextCursor };
        part = await answerOf(api.POST('/api/guilds/{guildId}/sync/preview', { params, body }));
      }
      return part;
    },
    onSuccess,
  });
}

/** Applies a plan. `onOutdated`: the service has refused it, since it is no longer the current one. */
function useApply(previewId: string, onOutdated: () => Promise<void>) {
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/api/guilds/{guildId}/differences/go-live', { params: { path: { guildId } }, body: { previewId } }),
      ),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
      await navigate({ to: '/g/$guildId/changes', params: { guildId }, search: { tab: 'made' } });
    },
    async onError(error) {
      await queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
      if (isOutdated(error)) await onOutdated();
    },
  });
}
