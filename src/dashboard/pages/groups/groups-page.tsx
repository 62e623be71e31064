import { Avatar, Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { type Condition, type Group, groupsQuery, guildKey, type Mapping, mappingsQuery } from '../../api/queries.js';
import { FindGroup, type GroupReference } from '../../guild/find-group.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { RoleNote } from '../../guild/role-note.js';
import { useUndo } from '../../guild/use-undo.js';
import { useWords } from '../../i18n/words-provider.js';
import { Confirm } from '../../parts/confirm.js';
import { useFocusByAddress } from '../../parts/focus-by-address.js';
import { TextLink } from '../../parts/link-button.js';
import { useNow } from '../../parts/now.js';
import { Page, Section } from '../../parts/page.js';
import { RowMenu } from '../../parts/row-menu.js';
import { Answered, Empty } from '../../parts/states.js';
import { showToast } from '../../parts/toast.js';
import css from './groups.module.css';

export function GroupsPage() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const groups = useQuery(groupsQuery(guildId));
  const mayMap = useReasonAgainst('manager') === undefined;
  useFocusByAddress(groups.isSuccess);
  return (
    <Page title={t('nav.groups')} lead={t('groups.lead')}>
      <RoleNote least="manager" />
      <AddGroup />
      <Answered
        query={groups}
        shape={[
          ['title', 1],
          ['card', 3],
        ]}
      >
        {(all) =>
          all.length === 0 ? (
            <Empty title={t('groups.none')}>{t('groups.none_why')}</Empty>
          ) : (
            <>
              {mayMap && <p className={css.hint}>{t('groups.map_hint')}</p>}
              {all.map((group) => (
                <GroupCard key={group.groupId} group={group} />
              ))}
            </>
          )
        }
      </Answered>
    </Page>
  );
}

function AddGroup() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const reason = useReasonAgainst('manager');
  // A new form after each group, without the findings for the last.
  const [added, setAdded] = useState(0);
  const add = useMutation({
    meta: { toast: 'toast.group_added' },
    mutationFn: (body: GroupReference) =>
      answerOf(api.POST('/api/guilds/{guildId}/groups', { params: { path: { guildId } }, body })),
    async onSuccess() {
      setAdded((before) => before + 1);
      await queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
    },
  });
  return (
    <div className={css.add}>
      <FindGroup
        key={added}
        label={t('groups.add_label')}
        act={t('groups.add')}
        variant="filled"
        reason={reason}
        isChoosing={add.isPending}
        error={add.error}
        onChoose={add.mutate}
      />
    </div>
  );
}

function GroupCard({ group }: { group: Group }) {
  const words = useWords();
  const { t } = words;
  const now = useNow();
  const reason = useReasonAgainst('manager');
  const { guildId } = useGuild();
  const { groupId, name, memberCount, roles, gone, refreshedAt, ranking } = group;
  const ranks = [...roles].sort((a, b) => b.rank - a.rank).filter(({ rank }) => rank > 0);
  const removal = (
    <RowMenu of={name}>
      <RemoveGroup group={group} />
    </RowMenu>
  );
  return (
    <Section title={name} id={`group-${groupId}`} actions={reason === undefined && removal}>
      {gone && <p className={css.bad}>{t('groups.gone')}</p>}
      <p className={css.facts}>
        <Avatar name={name} size="sm" radius="sm" alt="" aria-hidden="true" />
        <a href={`https://www.roblox.com/communities/${groupId}`} target="_blank" rel="noreferrer">
          {t('groups.on_roblox')}
        </a>
        <span>{t('groups.members', { count: memberCount })}</span>
        <span>{t('groups.read', { ago: words.ago(refreshedAt, now) })}</span>
        {ranking && (
          <>
            <TextLink to="/g/$guildId/groups/$groupId/ranks" params={{ guildId, groupId }}>
              {t('groups.change_ranks')}
            </TextLink>
            <TextLink to="/g/$guildId/groups/$groupId/requests" params={{ guildId, groupId }}>
              {t('groups.requests')}
            </TextLink>
          </>
        )}
      </p>
      <Ranks groupId={groupId} ranks={ranks} />
    </Section>
  );
}

/** A group's ranks; each leads a manager to a new mapping for it. */
function Ranks({ groupId, ranks }: { groupId: string; ranks: Group['roles'] }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const mayMap = useReasonAgainst('manager') === undefined;
  return (
    <ul className={css.ranks} aria-label={t('groups.ranks', { count: ranks.length })}>
      {ranks.map(({ gameRoleId, name, rank }) => {
        const words = (
          <>
            {name} <span className={css.rank}>{rank}</span>
          </>
        );
        return (
          <li key={gameRoleId}>
            {mayMap ? (
              <TextLink
                to="/g/$guildId/mappings/new"
                params={{ guildId }}
                search={{ group: groupId, rank: gameRoleId }}
              >
                {words}
              </TextLink>
            ) : (
              <span>{words}</span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function RemoveGroup({ group: { groupId, name } }: { group: Group }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const { data: mappings = [] } = useQuery(mappingsQuery(guildId));
  const using = mappings.filter((mapping) => namesGroup(mapping, groupId)).length;
  const remove = useMutation({
    mutationFn: () =>
      answerOf(
        api.DELETE('/api/guilds/{guildId}/groups/{groupId}', {
          params: {
            path: { guildId, groupId },
            query: { cascade: using > 0 ? 'true' : 'false', mappings: String(using) },
          },
        }),
      ),
    async onSuccess() {
      // The mappings that went with it would not come back with the group.
      showToast({ message: 'toast.group_removed', ...(using === 0 && { undo: addAgain }) });
      await queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
    },
  });
  const addAgain = useUndo(guildId, () =>
    api.POST('/api/guilds/{guildId}/groups', { params: { path: { guildId } }, body: { groupId } }),
  );
  const label = t('action.of', { act: t('action.remove'), name });
  return (
    <>
      <Button size="xs" variant="subtle" color="red" aria-label={label} onClick={() => setAsking(true)}>
        {t('action.remove')}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t('groups.remove_title', { name })}
        act={t('action.remove')}
        mutation={remove}
      >
        <p>{using > 0 ? t('groups.remove_with', { count: using }) : t('groups.remove_alone')}</p>
      </Confirm>
    </>
  );
}

function namesGroup({ condition, nickname }: Mapping, groupId: string): boolean {
  const shown = new RegExp(`\\{group(?:Rank|Role):${groupId}\\}`);
  return usesGroup(condition, groupId) || shown.test(nickname?.template ?? '');
}

function usesGroup(condition: Condition, groupId: string): boolean {
  if (condition.type === 'all' || condition.type === 'any')
    return condition.of.some((part) => usesGroup(part, groupId));
  if (condition.type === 'not') return usesGroup(condition.of, groupId);
  return 'groupId' in condition && condition.groupId === groupId;
}
