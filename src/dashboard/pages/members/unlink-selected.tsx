import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { guildKey, type Member } from '../../api/queries.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Confirm } from '../../parts/confirm.js';

/** Unlinks the selected people one after the other, each only from the account that the list shows. */
export function UnlinkSelected({ members, onDone }: { members: readonly Member[]; onDone: () => void }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const linked = members.flatMap(({ memberId, gameUserId }) => (gameUserId === null ? [] : [{ memberId, gameUserId }]));
  const unlink = useMutation({
    meta: { told: 'told.unlinked' },
    async mutationFn() {
      for (const { memberId, gameUserId } of linked) {
        const params = { path: { guildId, memberId }, query: { gameUserId } };
        await answerOf(api.DELETE('/api/guilds/{guildId}/members/{memberId}/link', { params }));
      }
    },
    onSuccess: onDone,
    // After a refusal, those before it are unlinked.
    onSettled: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
  const reason = useReasonAgainst('admin');
  if (linked.length === 0) return null;
  return (
    <>
      <ActButton size="xs" variant="default" reason={reason} onClick={() => setAsking(true)}>
        {t('members.unlink')}
      </ActButton>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t('members.unlink_selected', { count: linked.length })}
        act={t('members.unlink')}
        mutation={unlink}
      >
        <p>{t('members.unlink_selected_words')}</p>
      </Confirm>
    </>
  );
}
