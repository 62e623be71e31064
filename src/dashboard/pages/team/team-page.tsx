import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { guildKey, meQuery } from '../../api/queries.js';
import { type Teammate, teamQuery } from '../../api/team-queries.js';
import { ForRole } from '../../guild/for-role.js';
import { useGuild } from '../../guild/guild-context.js';
import { PersonPicture, usePictures } from '../../guild/pictures.js';
import { useTeamNames } from '../../guild/team-names.js';
import { useWords } from '../../i18n/words-provider.js';
import { Confirm } from '../../parts/confirm.js';
import { Page, Section } from '../../parts/page.js';
import { RowMenu } from '../../parts/row-menu.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { StateWord } from '../../parts/state-word.js';
import { Answered, Failed } from '../../parts/states.js';
import { Table } from '../../parts/table.js';
import { InviteForm } from './invite-form.js';
import css from './team.module.css';
import { grantable } from './team-rights.js';

export function TeamPage() {
  const { t } = useWords();
  return (
    <ForRole least="admin" title={t('nav.team')}>
      <Team />
    </ForRole>
  );
}

function Team() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const team = useQuery(teamQuery(guildId));
  return (
    <Page title={t('nav.team')} lead={t('team.lead')}>
      <InviteForm />
      <Answered query={team} shape={[['table', 4]]}>
        {(data) => (
          <div className={css.table}>
            <List team={data} />
          </div>
        )}
      </Answered>
      <Section title={t('team.rights')}>
        <dl className={css.rights}>
          {(['viewer', 'manager', 'admin', 'owner'] as const).map((role) => (
            <RightsOf key={role} name={t(`role.${role}`)} words={t(`team.may_${role}`)} />
          ))}
        </dl>
      </Section>
    </Page>
  );
}

const RightsOf = ({ name, words }: { name: string; words: string }) => (
  <>
    <dt>{name}</dt>
    <dd>{words}</dd>
  </>
);

function List({ team }: { team: readonly Teammate[] }) {
  const { t } = useWords();
  const names = useTeamNames(team.flatMap(({ memberId, invitedBy }) => [memberId, invitedBy ?? '']));
  const { avatars, heads } = usePictures(team.map(({ memberId }) => memberId));
  return (
    <ScrollTable label={t('nav.team')}>
      <Table.Thead>
        <Table.Tr>
          {(['team.person', 'tokens.role', 'team.from'] as const).map((name) => (
            <Table.Th key={name} scope="col">
              {t(name)}
            </Table.Th>
          ))}
          <Table.Th scope="col">{t('action.acts')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {team.map((teammate) => (
          <Row
            key={teammate.memberId}
            teammate={teammate}
            names={names}
            picture={avatars[teammate.memberId] ?? heads[teammate.memberId]}
          />
        ))}
      </Table.Tbody>
    </ScrollTable>
  );
}

function Row(props: { teammate: Teammate; names: Readonly<Record<string, string>>; picture: string | undefined }) {
  const { teammate, names, picture } = props;
  const { t } = useWords();
  const { memberId, username, role, source, state, invitedBy } = teammate;
  const { data: me } = useQuery(meQuery);
  const name = names[memberId] ?? username ?? memberId;
  const isSelf = me?.chatUserId === memberId;
  const inviter = invitedBy === null ? undefined : (names[invitedBy] ?? invitedBy);
  return (
    <Table.Tr>
      <Table.Td>
        <span className={css.who}>
          <PersonPicture src={picture} name={name} />
          <strong>{name}</strong>
        </span>
        {isSelf && ` (${t('team.you')})`}{' '}
        {state === 'invited' && <StateWord tone="quiet">{t('team.invited')}</StateWord>}
      </Table.Td>
      <Table.Td>{t(`role.${role}`)}</Table.Td>
      <Table.Td>
        {t(`team.source_${source}`)}{' '}
        {source === 'invitation' && inviter !== undefined && (
          <div className={css.quiet}>{t('team.by', { name: inviter })}</div>
        )}
      </Table.Td>
      <Table.Td>{role !== 'owner' && <Acts teammate={teammate} name={name} isSelf={isSelf} />}</Table.Td>
    </Table.Tr>
  );
}

/** Changes to a teammate's role and place that the caller may make, behind one button. */
function Acts({ teammate, name, isSelf }: { teammate: Teammate; name: string; isSelf: boolean }) {
  const { t } = useWords();
  const { role: own } = useGuild();
  const { memberId, givenRole, source } = teammate;
  const change = useChange(memberId);
  const choices = grantable(own);
  // A role by Discord's permissions alone is changed on Discord.
  if (givenRole === null || (!isSelf && !choices.includes(givenRole))) return null;
  const others = source === 'invitation' && !isSelf ? choices.filter((role) => role !== givenRole) : [];
  const makes = others.map((role) => ({ role, act: t('team.make', { role: t(`role.${role}`) }) }));
  return (
    <>
      <RowMenu of={name}>
        {makes.map(({ role, act }) => (
          <Button
            key={role}
            size="xs"
            variant="subtle"
            color="gray"
            aria-label={t('action.of', { act, name })}
            onClick={() => change.mutate(role)}
          >
            {act}
          </Button>
        ))}
        <Remove memberId={memberId} name={name} isSelf={isSelf} />
      </RowMenu>
      <Failed error={change.error} />
    </>
  );
}

/** Gives a teammate another role. */
function useChange(memberId: string) {
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  return useMutation({
    meta: { toast: 'toast.saved' },
    mutationFn: (role: Exclude<Teammate['givenRole'], null>) =>
      answerOf(
        api.PATCH('/api/guilds/{guildId}/team/{memberId}', { params: { path: { guildId, memberId } }, body: { role } }),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
}

function Remove({ memberId, name, isSelf }: { memberId: string; name: string; isSelf: boolean }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const remove = useMutation({
    meta: { toast: 'toast.removed' },
    mutationFn: () =>
      answerOf(api.DELETE('/api/guilds/{guildId}/team/{memberId}', { params: { path: { guildId, memberId } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
  const act = t(isSelf ? 'team.leave' : 'team.remove');
  return (
    <>
      <Button
        size="xs"
        variant="subtle"
        color="red"
        aria-label={t('action.of', { act, name })}
        onClick={() => setAsking(true)}
      >
        {act}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t(isSelf ? 'team.leave_title' : 'team.remove_title', { name })}
        act={act}
        mutation={remove}
      >
        <p>{t('team.remove_words')}</p>
      </Confirm>
    </>
  );
}
