import { Anchor, Drawer, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { groupsQuery, guildKey } from '../../api/queries.js';
import { sourceWords } from '../../guild/bot-names.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { useLeaveOut } from '../../guild/leave-out.js';
import { memberQuery } from '../../guild/member-query.js';
import { PersonPicture, usePictures } from '../../guild/pictures.js';
import { RoleChips } from '../../guild/role-names.js';
import { loadLateWords, type Words } from '../../i18n/words.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Confirm } from '../../parts/confirm.js';
import { Facts } from '../../parts/facts.js';
import { useNow } from '../../parts/now.js';
import { Answered, Failed } from '../../parts/states.js';
import { showToast } from '../../parts/toast.js';
import { LastSyncs } from './last-syncs.js';
import { MemberWhy } from './member-why.js';
import css from './members.module.css';
import { useUndoUnlink } from './undo-unlink.js';

type Detail = Schemas['MemberDetail'];

const ChangeRank = lazy(async () => {
  const [part] = await Promise.all([import('./change-rank.js'), loadLateWords('ranking')]);
  return { default: part.ChangeRank };
});

/** All about one person: their account, their roles with the reasons, and their last syncs. */
export function MemberPanel({ memberId, onClose }: { memberId: string; onClose: () => void }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const member = useQuery(memberQuery(guildId, memberId));
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="34rem"
      title={<PanelTitle memberId={memberId} name={member.data?.chatUsername} />}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <Answered
        query={member}
        shape={[
          ['facts', 5],
          ['buttons', 2],
          ['title', 1],
          ['lines', 2],
          ['title', 1],
          ['list', 4],
        ]}
      >
        {(detail) => (
          <>
            <FactsOf detail={detail} />
            <Acts detail={detail} onClose={onClose} />
            <RolesDue detail={detail} />
            <MemberWhy memberId={memberId} />
            <LastSyncs syncs={detail.syncs} />
          </>
        )}
      </Answered>
    </Drawer>
  );
}

/** The person as they are seen on Discord. */
function PanelTitle({ memberId, name }: { memberId: string; name: string | undefined }) {
  const { t } = useWords();
  const { avatars } = usePictures([memberId]);
  if (name === undefined) return t('members.member');
  return (
    <span className={css.who}>
      <PersonPicture src={avatars[memberId]} name={name} />
      {name}
    </span>
  );
}

function FactsOf({ detail }: { detail: Detail }) {
  const words = useWords();
  const { t } = words;
  const { memberId, gameUserId, gameUsername, linkedAt, status, nickname, importedFrom, facts } = detail;
  const { heads } = usePictures([memberId]);
  const account =
    gameUserId === null ? (
      '–'
    ) : (
      <span className={css.person}>
        <PersonPicture src={heads[memberId]} name={gameUsername ?? ''} />
        <Anchor href={`https://www.roblox.com/users/${gameUserId}/profile`} target="_blank" rel="noreferrer">
          {gameUsername}
        </Anchor>
      </span>
    );
  return (
    <Facts
      facts={[
        [t('members.status'), t(`member_status.${status}`)],
        [t('members.gameUsername'), account],
        [t('members.linkedAt'), linkedAt === null ? '–' : words.time(linkedAt)],
        ...(importedFrom === null ? [] : [[t('members.importedFrom'), sourceWords(importedFrom, t)] as const]),
        [t('members.nickname'), nickname ?? '–'],
        ...(facts.length === 0 ? [] : [[t('members.facts'), <GameFacts key="facts" facts={facts} />] as const]),
      ]}
    />
  );
}

/** The facts that the server's game has reported, each with its age. */
function GameFacts({ facts }: Pick<Detail, 'facts'>) {
  const words = useWords();
  const now = useNow();
  return facts.map(({ key, value, reportedAt }) => (
    <div key={key}>
      {key} = {typeof value === 'string' ? `“${value}”` : String(value)}{' '}
      <span className={css.age}>{words.ago(reportedAt, now)}</span>
    </div>
  ));
}

/** The roles that the person should have, has too many, and lacks. */
function RolesDue({ detail }: { detail: Detail }) {
  const { t } = useWords();
  const { rolesHeld, rolesExpected, blocked, removalsWait, unavailable } = detail;
  if (unavailable !== null || rolesHeld === null || rolesExpected === null) {
    return <p className={css.note}>{t('members.roles_unknown')}</p>;
  }
  const missing = rolesExpected.filter((id) => !rolesHeld.includes(id));
  const surplus = rolesHeld.filter((id) => !rolesExpected.includes(id));
  const right = rolesHeld.filter((id) => rolesExpected.includes(id));
  return (
    <section aria-label={t('members.roles')}>
      <h3 className={css.heading}>{t('members.roles')}</h3>
      {rolesHeld.length + rolesExpected.length === 0 && <p className={css.note}>{t('members.no_roles')}</p>}
      <p className={css.roles}>
        <RoleChips ids={right} />
        <RoleChips ids={missing} as="given" />
        <RoleChips ids={surplus} as="taken" />
      </p>
      {missing.length + surplus.length > 0 && <p className={css.note}>{t('members.next_sync')}</p>}
      {removalsWait !== undefined && <p className={css.note}>{removalWords(removalsWait, t)}</p>}
      {blocked.map(({ roleId, reason }) => (
        <p key={roleId} className={css.note}>
          <RoleChips ids={[roleId]} /> {t(`blocked.${reason}`)}
        </p>
      ))}
    </section>
  );
}

function removalWords({ resyncId }: NonNullable<Detail['removalsWait']>, t: Words['t']): string {
  return resyncId === null ? t('members.removals_held') : t('members.removals_wait', { resync: resyncId });
}

function Acts({ detail, onClose }: { detail: Detail; onClose: () => void }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [unlinking, setUnlinking] = useState(false);
  const { memberId, chatUsername, gameUserId, gameUsername, rolesHeld, undoUntil, leftOutSince } = detail;
  const params = { path: { guildId, memberId } };
  const refresh = () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
  const resync = useMutation({
    meta: { toast: 'toast.synced' },
    mutationFn: () => answerOf(api.POST('/api/guilds/{guildId}/members/{memberId}/resync', { params })),
    onSuccess: refresh,
  });
  const undo = useUndoUnlink();
  const unlink = useMutation({
    mutationFn: () =>
      answerOf(
        api.DELETE('/api/guilds/{guildId}/members/{memberId}/link', {
          params: { ...params, query: { ...(gameUserId !== null && { gameUserId }) } },
        }),
      ),
    async onSuccess() {
      showToast({ message: 'toast.unlinked', undo: () => undo([memberId]) });
      await refresh();
      onClose();
    },
  });
  const reason = useReasonAgainst('admin');
  const leaveOut = useLeaveOut();
  const leftOut = leftOutSince !== null;
  const [ranking, setRanking] = useState(false);
  const groups = useQuery({ ...groupsQuery(guildId), enabled: gameUserId !== null }).data ?? [];
  const ranked = groups.filter((group) => group.ranking);
  return (
    <>
      <Group gap="xs" my="md">
        <ActButton reason={useReasonAgainst('manager')} loading={resync.isPending} onClick={() => resync.mutate()}>
          {t('members.resync')}
        </ActButton>
        {gameUsername !== null && (
          <ActButton variant="default" reason={reason} onClick={() => setUnlinking(true)}>
            {t('members.unlink')}
          </ActButton>
        )}
        <ActButton
          variant="default"
          reason={reason}
          loading={leaveOut.isPending}
          onClick={() => leaveOut.mutate({ memberId, leftOut: !leftOut })}
        >
          {t(leftOut ? 'left_out.include' : 'left_out.leave')}
        </ActButton>
        {gameUserId !== null && ranked.length > 0 && (
          <ActButton variant="default" onClick={() => setRanking(true)}>
            {t('members.change_rank')}
          </ActButton>
        )}
        {undoUntil !== null && (
          <ActButton variant="default" reason={reason} onClick={() => undo([memberId])}>
            {t('members.undo_unlink')}
          </ActButton>
        )}
      </Group>
      <Failed error={resync.error ?? leaveOut.error} />
      {resync.data !== undefined && <SyncOutcome result={resync.data} />}
      {ranking && (
        <Suspense>
          <ChangeRank person={{ memberId, name: chatUsername }} groups={ranked} onClose={() => setRanking(false)} />
        </Suspense>
      )}
      <Confirm
        open={unlinking}
        onClose={() => setUnlinking(false)}
        title={t('members.unlink_title', { name: chatUsername })}
        act={t('members.unlink')}
        mutation={unlink}
      >
        <p>{t('members.unlink_words', { account: gameUsername ?? '', roles: rolesHeld?.length ?? 0 })}</p>
        <p>{t('members.unlink_again')}</p>
      </Confirm>
    </>
  );
}

function SyncOutcome({ result }: { result: Schemas['SyncResult'] }) {
  const { t } = useWords();
  const { added, removed, nickname, blocked } = result;
  const isNothing = added.length + removed.length + blocked.length === 0 && nickname === null;
  return (
    <p role="status" className={css.note}>
      {result.observed
        ? t('members.observed')
        : result.leftOut
          ? t('why.left_out')
          : isNothing
            ? t('members.in_step')
            : t('members.synced')}{' '}
      <RoleChips ids={added} as="given" /> <RoleChips ids={removed} as="taken" />
      {nickname !== null && ` ${t('members.renamed', { nickname })}`}
    </p>
  );
}
