import { Button, Group as Row, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { type Group, guildKey } from '../../api/queries.js';
import { rankEffectsQuery, rankOfferQuery } from '../../api/ranking-queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { RoleChips } from '../../guild/role-names.js';
import { useUndoRank } from '../../guild/use-undo-rank.js';
import { useWords } from '../../i18n/words-provider.js';
import { Choice, ChoiceOrNone } from '../../parts/choice.js';
import { Answered, Failed } from '../../parts/states.js';
import { showToast } from '../../parts/toast.js';
import css from './members.module.css';

interface Person {
  memberId: string;
  name: string;
}

/** Changes a member's rank in one of these groups. The roles on Discord that it gives and takes stand above the button. */
export function ChangeRank({
  person,
  groups,
  onClose,
}: {
  person: Person;
  groups: readonly Group[];
  onClose: () => void;
}) {
  const { t } = useWords();
  const [groupId, setGroupId] = useState(groups[0]?.groupId ?? '');
  const title = t('ranks.change_of', { name: person.name });
  return (
    <section aria-label={title} className={css.rankForm}>
      <h3 className={css.heading}>{title}</h3>
      {groups.length > 1 && (
        <Choice
          label={t('ranks.group')}
          value={groupId}
          options={groups.map((group) => ({ value: group.groupId, label: group.name }))}
          onChange={setGroupId}
        />
      )}
      <RankForm key={groupId} person={person} groupId={groupId} onClose={onClose} />
    </section>
  );
}

function RankForm({ person, groupId, onClose }: { person: Person; groupId: string; onClose: () => void }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const { memberId } = person;
  const queryClient = useQueryClient();
  const offer = useQuery(rankOfferQuery(guildId, groupId, memberId));
  const undo = useUndoRank(groupId);
  const [chosen, setChosen] = useState<string>();
  const [reason, setReason] = useState('');
  const change = useMutation({
    mutationFn: ({ gameRoleId, seenGameRoleId }: { gameRoleId: string; seenGameRoleId: string }) =>
      answerOf(
        api.POST('/api/guilds/{guildId}/groups/{groupId}/ranks', {
          params: { path: { guildId, groupId } },
          body: { memberId, gameRoleId, seenGameRoleId, ...(reason.trim() !== '' && { reason: reason.trim() }) },
        }),
      ),
    async onSuccess({ state, changeId }) {
      if (state === 'done') showToast({ message: 'toast.ranked', undo: () => undo(changeId) });
      else showToast({ message: 'toast.rank_open' });
      onClose();
      await queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
    },
  });
  return (
    <Answered query={offer} shape={[['fields', 2]]}>
      {({ held, offered }) => {
        const [highest] = held;
        const submit = (event: FormEvent) => {
          event.preventDefault();
          if (chosen !== undefined && highest !== undefined)
            change.mutate({ gameRoleId: chosen, seenGameRoleId: highest.gameRoleId });
        };
        if (offered.length === 0) return <p>{t('ranks.none_offered')}</p>;
        return (
          <form onSubmit={submit} className={css.rankForm}>
            <p className={css.note}>{t('ranks.now', { roles: held.map(({ name }) => name).join(', ') })}</p>
            <ChoiceOrNone
              label={t('ranks.new')}
              none={t('ranks.choose')}
              value={chosen}
              options={[...offered].reverse().map((role) => ({
                value: role.gameRoleId,
                label: `${role.name} (${role.rank})`,
              }))}
              onChange={setChosen}
            />
            <TextInput
              label={t('ranks.reason')}
              maxLength={200}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
            {chosen !== undefined && <Effects groupId={groupId} wish={{ memberId, gameRoleId: chosen }} />}
            <Failed error={change.error} />
            <Row justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {t('action.cancel')}
              </Button>
              <Button type="submit" loading={change.isPending} disabled={chosen === undefined}>
                {t('ranks.change')}
              </Button>
            </Row>
          </form>
        );
      }}
    </Answered>
  );
}

function Effects({ groupId, wish }: { groupId: string; wish: { memberId: string; gameRoleId: string } }) {
  const { t } = useWords();
  const { guildId, mode } = useGuild();
  const effects = useQuery(rankEffectsQuery(guildId, groupId, wish));
  return (
    <Answered query={effects} shape={[['lines', 1]]}>
      {({ discord }) => {
        if (discord === null) return null;
        const { added, removed, nickname } = discord;
        const isNothing = added.length + removed.length === 0 && nickname === null;
        return (
          <p role="status" className={css.note}>
            {isNothing ? t('ranks.no_effect') : t('ranks.effect')} <RoleChips ids={added} as="given" />{' '}
            <RoleChips ids={removed} as="taken" />
            {nickname !== null && ` ${t('members.renamed', { nickname })}`}
            {mode === 'observe' && !isNothing && ` ${t('ranks.observing')}`}
          </p>
        );
      }}
    </Answered>
  );
}
