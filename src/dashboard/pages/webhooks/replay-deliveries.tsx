import { TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { type ReplayWindow, replayCountQuery, webhookKey } from '../../api/webhook-queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { Choice } from '../../parts/choice.js';
import { Confirm } from '../../parts/confirm.js';
import { isoIn } from '../../parts/now.js';
import css from './webhooks.module.css';

const dayMs = 86_400_000;
const states = ['failed', 'succeeded', 'both'] as const;
type Wanted = (typeof states)[number];

/** The last day's failed ones, up to the second: a later delivery doesn't change the number. */
const firstWindow = () => ({ since: isoIn(-dayMs), until: isoIn(0), wanted: 'failed' as Wanted });

/**
 * Makes a period's deliveries once more, delivered ones too. The number comes first, and is what is confirmed
 * (HOOK-31).
 */
export function ReplayDeliveries({ webhookId, onClose }: { webhookId: string; onClose: () => void }) {
  const { t, number } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [{ since, until, wanted }, setWanted] = useState(firstWindow);
  const change = (part: Partial<ReturnType<typeof firstWindow>>) => setWanted((before) => ({ ...before, ...part }));
  const within: ReplayWindow = { since, until, ...(wanted !== 'both' && { state: wanted }) };
  const counted = useQuery({ ...replayCountQuery(guildId, webhookId, within), enabled: since < until });
  const count = since < until ? (counted.data?.count ?? null) : 0;
  const replay = useMutation({
    meta: { toast: 'toast.sent_again' },
    mutationFn: () =>
      answerOf(
        api.POST('/api/guilds/{guildId}/webhooks/{webhookId}/replay', {
          params: { path: { guildId, webhookId } },
          body: { ...within, count: count ?? 0 },
        }),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: webhookKey(guildId, webhookId) }),
  });
  const told =
    count === null
      ? t('redeliver.counting')
      : count > mostReplayed
        ? t('redeliver.too_many', { most: number(mostReplayed) })
        : t(count === 0 ? 'redeliver.none' : 'redeliver.words', { count });
  return (
    <Confirm
      open
      onClose={onClose}
      title={t('redeliver.title')}
      act={t('redeliver.act')}
      gentle
      disabled={count === null || count === 0 || count > mostReplayed}
      mutation={replay}
    >
      <div className={css.form}>
        <Choice
          label={t('redeliver.which')}
          value={wanted}
          options={states.map((value) => ({ value, label: t(`redeliver.${value}`) }))}
          onChange={(value) => change({ wanted: value })}
        />
        <TimeField label={t('redeliver.from')} value={since} onChange={(iso) => change({ since: iso })} />
        <TimeField label={t('redeliver.until')} value={until} onChange={(iso) => change({ until: iso })} />
        <p className={css.words} role="status">
          {told}
        </p>
      </div>
    </Confirm>
  );
}

/** The maximum in one replay (HOOK-30). */
const mostReplayed = 10_000;

/** A time in the browser's zone, to the second. */
function TimeField({ label, value, onChange }: { label: string; value: string; onChange: (iso: string) => void }) {
  return (
    <TextInput
      type="datetime-local"
      step={1}
      label={label}
      value={localOf(value)}
      onChange={({ currentTarget }) => {
        const ms = Date.parse(currentTarget.value);
        if (!Number.isNaN(ms)) onChange(new Date(ms).toISOString());
      }}
    />
  );
}

/** An ISO time as the field writes it: local, without a zone. */
function localOf(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
