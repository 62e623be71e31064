import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Confirm } from '../../parts/confirm.js';
import { Failed } from '../../parts/states.js';

type Preview = Schemas['Preview'];

/** Reads everything that would be done, shows the numbers, and applies exactly that. */
export function GoLive() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [shown, setShown] = useState<Preview>();
  const params = { path: { guildId } };
  const read = useMutation({
    async mutationFn() {
      let part = await answerOf(api.POST('/api/guilds/{guildId}/sync/preview', { params, body: {} }));
      const { previewId } = part;
      while (part.nextCursor !== null && part.previewId === previewId) {
        const body = { cursor: part.nextCursor };
        part = await answerOf(api.POST('/api/guilds/{guildId}/sync/preview', { params, body }));
      }
      return part;
    },
    onSuccess: setShown,
  });
  const apply = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/api/guilds/{guildId}/differences/go-live', {
          params,
          body: { previewId: shown?.previewId ?? '' },
        }),
      ),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
      await navigate({ to: '/g/$guildId/resync', params: { guildId } });
    },
  });
  return (
    <>
      <Failed error={read.error} />
      <ActButton reason={useReasonAgainst('admin')} loading={read.isPending} onClick={() => read.mutate()}>
        {t('differences.go_live')}
      </ActButton>
      <Confirm
        open={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={t('differences.go_live_title')}
        act={t('differences.go_live')}
        gentle
        mutation={apply}
      >
        {shown !== undefined && (
          <>
            <p>
              {t('preview.summary', {
                changed: shown.summary.changed,
                adding: shown.summary.adding,
                removing: shown.summary.removing,
                renamed: shown.summary.renamed,
              })}
            </p>
            <p>{t('differences.go_live_words')}</p>
          </>
        )}
      </Confirm>
    </>
  );
}
