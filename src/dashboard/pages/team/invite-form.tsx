import { Avatar, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Choice } from '../../parts/choice.js';
import { Section } from '../../parts/page.js';
import { Failed } from '../../parts/states.js';
import css from './team.module.css';
import { grantable } from './team-rights.js';

type Person = Schemas['PersonFound'];

/** Invites a server member, found by name, or anyone by their Discord id. */
export function InviteForm() {
  const { t } = useWords();
  const { guildId, role: own } = useGuild();
  const queryClient = useQueryClient();
  const [person, setPerson] = useState<{ chatUserId: string; name: string }>();
  const [role, setRole] = useState<'viewer' | 'manager' | 'admin'>('manager');
  const [round, setRound] = useState(0);
  const invite = useMutation({
    meta: { toast: 'toast.invited' },
    mutationFn: (chatUserId: string) =>
      answerOf(
        api.POST('/api/guilds/{guildId}/team/invite', { params: { path: { guildId } }, body: { chatUserId, role } }),
      ),
    async onSuccess() {
      setRound(round + 1);
      setPerson(undefined);
      await queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (person !== undefined) invite.mutate(person.chatUserId);
  };
  const choices = grantable(own);
  return (
    <Section title={t('team.invite')}>
      <form onSubmit={submit} className={css.invite}>
        <PersonSearch key={round} isChosen={person !== undefined} onChosen={setPerson} />
        <Choice
          label={t('tokens.role')}
          value={role}
          options={choices.map((value) => ({ value, label: t(`role.${value}`) }))}
          onChange={setRole}
        />
        <ActButton
          type="submit"
          reason={person === undefined ? t('team.choose_first') : undefined}
          loading={invite.isPending}
        >
          {t('team.invite_act')}
        </ActButton>
      </form>
      <p role="status" className={css.quiet}>
        {invite.data !== undefined &&
          t(invite.data.notified ? 'team.notified' : 'team.not_notified', { name: invite.data.username ?? '' })}
      </p>
      <Failed error={invite.error} />
    </Section>
  );
}

const isId = (text: string): boolean => /^[1-9]\d{16,19}$/.test(text);

function PersonSearch(props: {
  isChosen: boolean;
  onChosen: (person: { chatUserId: string; name: string } | undefined) => void;
}) {
  const { isChosen, onChosen } = props;
  const { t } = useWords();
  const { guildId } = useGuild();
  const [typed, setTyped] = useState('');
  const [wanted] = useDebouncedValue(typed.trim(), 400);
  const people = useQuery({
    queryKey: [...guildKey(guildId), 'people', wanted],
    enabled: wanted.length >= 2,
    queryFn: () =>
      answerOf(api.GET('/api/guilds/{guildId}/people', { params: { path: { guildId }, query: { q: wanted } } })),
  });
  const found = people.data?.data ?? [];
  const choose = ({ chatUserId, username }: Person) => {
    setTyped(username);
    onChosen({ chatUserId, name: username });
  };
  return (
    <div>
      <TextInput
        label={t('team.person')}
        description={t('team.person_hint')}
        autoComplete="off"
        value={typed}
        error={people.isError ? t('team.search_failed') : undefined}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          onChosen(isId(value.trim()) ? { chatUserId: value.trim(), name: value.trim() } : undefined);
        }}
      />
      {people.data !== undefined && wanted.length >= 2 && !isChosen && (
        <ul className={css.found} aria-label={t('team.found')}>
          {found.map((person) => (
            <li key={person.chatUserId}>
              <PersonButton person={person} onChosen={choose} />
            </li>
          ))}
          {found.length === 0 && <li className={css.quiet}>{t('team.nobody')}</li>}
        </ul>
      )}
    </div>
  );
}

function PersonButton({ person, onChosen }: { person: Person; onChosen: (person: Person) => void }) {
  const { username, nickname, avatarUrl } = person;
  return (
    <UnstyledButton className={css.person} onClick={() => onChosen(person)}>
      <Avatar src={avatarUrl} name={username} size="sm" alt="" aria-hidden="true" />
      <span>
        {username}
        {nickname !== null && <span className={css.quiet}> ({nickname})</span>}
      </span>
    </UnstyledButton>
  );
}
