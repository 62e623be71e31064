import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { ChannelSelect } from '../../guild/channel-select.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Failed } from '../../parts/states.js';
import css from './overview.module.css';

/** Chooses a channel and posts the panel into it. For admins: others may not see all channels. */
export function PostPanel() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [channelId, setChannelId] = useState<string | null>(null);
  const post = useMutation({
    meta: { toast: 'toast.posted' },
    mutationFn: (chosen: string) =>
      answerOf(api.POST('/api/guilds/{guildId}/panel', { params: { path: { guildId } }, body: { channelId: chosen } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
  const missing = channelId === null ? t('setup.choose_channel') : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (missing === undefined && channelId !== null) post.mutate(channelId);
  };
  return (
    <form onSubmit={submit} className={css.panel}>
      <ChannelSelect
        label={t('setup.channel')}
        error={undefined}
        disabled={false}
        value={channelId}
        onChange={setChannelId}
      />
      <ActButton type="submit" size="sm" reason={missing} loading={post.isPending}>
        {t('setup.post_panel')}
      </ActButton>
      <Failed error={post.error} />
    </form>
  );
}
