import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { webhookKey } from '../../api/webhook-queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { Failed } from '../../parts/states.js';
import css from './webhooks.module.css';

/** Sends the selected deliveries again, one after the other, until one is refused. */
export function SelectedDeliveries(props: { webhookId: string; ids: ReadonlySet<string>; onClear: () => void }) {
  const { webhookId, ids, onClear } = props;
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const send = useMutation({
    meta: { toast: 'toast.sent_again' },
    async mutationFn() {
      for (const deliveryId of ids) {
        const path = { guildId, deliveryId };
        await answerOf(api.POST('/api/guilds/{guildId}/deliveries/{deliveryId}/redeliver', { params: { path } }));
      }
    },
    onSuccess: onClear,
    onSettled: () => queryClient.invalidateQueries({ queryKey: webhookKey(guildId, webhookId) }),
  });
  return (
    <>
      <div className={css.selected}>
        <span role="status">{t('delivery.selected', { count: ids.size })}</span>
        <Button size="xs" loading={send.isPending} onClick={() => send.mutate()}>
          {t('delivery.send_selected')}
        </Button>
        <Button size="xs" variant="subtle" onClick={onClear}>
          {t('members.clear')}
        </Button>
      </div>
      <Failed error={send.error} />
    </>
  );
}
