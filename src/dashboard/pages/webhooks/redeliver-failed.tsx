import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { statisticsQuery, type Webhook, webhookKey } from '../../api/webhook-queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { Choice } from '../../parts/choice.js';
import { Confirm } from '../../parts/confirm.js';
import { isoIn } from '../../parts/now.js';

/** Days back, as the choice names them. */
const spans = ['1', '7', '30'] as const;
const dayMs = 86_400_000;

/** Makes all deliveries once more that have failed since a time. */
export function RedeliverFailed({ webhook: { webhookId } }: { webhook: Webhook }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [days, setDays] = useState<(typeof spans)[number]>('1');
  const { data: statistics } = useQuery(statisticsQuery(guildId, webhookId));
  const redeliver = useMutation({
    meta: { told: 'told.sent_again' },
    mutationFn: () =>
      answerOf(
        api.POST('/api/guilds/{guildId}/webhooks/{webhookId}/redeliver-failed', {
          params: { path: { guildId, webhookId } },
          body: { since: isoIn(-Number(days) * dayMs) },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: webhookKey(guildId, webhookId) }),
  });
  const failed = statistics?.total.failed ?? 0;
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {t('redeliver.failed')}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t('redeliver.title')}
        act={t('redeliver.act')}
        gentle
        mutation={redeliver}
      >
        <p>{t('redeliver.words', { count: failed })}</p>
        <Choice
          label={t('redeliver.since')}
          value={days}
          options={spans.map((value) => ({ value, label: t('redeliver.days', { count: Number(value) }) }))}
          onChange={setDays}
        />
      </Confirm>
    </>
  );
}
