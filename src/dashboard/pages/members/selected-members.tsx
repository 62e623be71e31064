import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { guildKey, type Member } from '../../api/queries.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Failed } from '../../parts/states.js';
import css from './members.module.css';
import { membersCsv } from './members-csv.js';
import { UnlinkSelected } from './unlink-selected.js';

export function SelectedMembers({ members, onClear }: { members: readonly Member[]; onClear: () => void }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const sync = useMutation({
    meta: { toast: 'toast.resync' },
    mutationFn: () =>
      answerOf(
        api.POST('/api/guilds/{guildId}/resync', {
          params: { path: { guildId } },
          body: { memberIds: members.map(({ memberId }) => memberId) },
        }),
      ),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
      onClear();
    },
  });
  return (
    <>
      <div className={css.selected}>
        <span role="status">{t('members.selected', { count: members.length })}</span>
        <ActButton
          size="xs"
          reason={useReasonAgainst('manager')}
          loading={sync.isPending}
          onClick={() => sync.mutate()}
        >
          {t('members.sync_selected')}
        </ActButton>
        <UnlinkSelected members={members} onDone={onClear} />
        <Button size="xs" variant="default" onClick={() => save(membersCsv(members))}>
          {t('members.csv')}
        </Button>
        <Button size="xs" variant="subtle" onClick={onClear}>
          {t('members.clear')}
        </Button>
      </div>
      <Failed error={sync.error} />
    </>
  );
}

function save(text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  link.download = 'members.csv';
  link.click();
  URL.revokeObjectURL(link.href);
}
