import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { groupsQuery, guildKey, type Member } from '../../api/queries.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Failed } from '../../parts/states.js';
import css from './members.module.css';
import { membersCsv } from './members-csv.js';
import { UnlinkSelected } from './unlink-selected.js';

const RankSelected = lazy(async () => ({ default: (await import('./rank-selected.js')).RankSelected }));

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
        <ChangeRanks members={members} onDone={onClear} />
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

/** As many as one list takes (RANKING-13). */
const mostRanked = 10;

/** Changes the ranks of the linked ones among them, where the server has a group for it. */
function ChangeRanks({ members, onDone }: { members: readonly Member[]; onDone: () => void }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const [isOpen, setOpen] = useState(false);
  const { data: groups = [] } = useQuery(groupsQuery(guildId));
  const ranked = groups.filter(({ ranking }) => ranking);
  const linked = members.filter(({ gameUserId }) => gameUserId !== null);
  if (ranked.length === 0 || linked.length === 0) return null;
  const reason = linked.length > mostRanked ? t('ranks.many_most', { count: mostRanked }) : undefined;
  return (
    <>
      <ActButton size="xs" variant="default" reason={reason} onClick={() => setOpen(true)}>
        {t('members.change_rank')}
      </ActButton>
      {isOpen && (
        <Suspense>
          <RankSelected members={linked} groups={ranked} onClose={() => setOpen(false)} onDone={onDone} />
        </Suspense>
      )}
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
