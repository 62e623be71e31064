import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { namesQuery } from '../../api/team-queries.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Failed } from '../../parts/states.js';
import css from './settings.module.css';

/** Members exempt from restrictions because they stand above the author, and the owner's consent to end that. */
export function SparedMembers({ etag }: { etag: string }) {
  const { t, list } = useWords();
  const { guildId, health } = useGuild();
  const queryClient = useQueryClient();
  const { memberIds = [] } = health.find(({ code }) => code === 'restriction_above_writer') ?? {};
  const { data: names = {} } = useQuery(namesQuery(guildId, memberIds));
  const reason = useReasonAgainst('owner');
  const confirm = useMutation({
    meta: { toast: 'toast.saved' },
    mutationFn: () =>
      answerOf(
        api.POST('/api/guilds/{guildId}/settings/restrictions/confirm', {
          params: { path: { guildId }, header: { 'if-match': etag } },
        }),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
  if (memberIds.length === 0) return <Failed error={confirm.error} />;
  return (
    <div id="spared-members" tabIndex={-1}>
      <p className={css.note}>{t('settings.spared', { people: list(memberIds.map((id) => names[id] ?? id)) })}</p>
      <ActButton reason={reason} loading={confirm.isPending} onClick={() => confirm.mutate()} size="xs" color="red">
        {t('settings.spared_confirm')}
      </ActButton>
      <Failed error={confirm.error} />
    </div>
  );
}
