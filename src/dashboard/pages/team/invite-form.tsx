import { Avatar, Combobox, Select, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Schemas } from '../../api/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Section } from '../../parts/page.js';
import { Failed } from '../../parts/states.js';
import css from './team.module.css';
import { grantable } from './team-rights.js';

type Person = Schemas['PersonFound'];

/** Invites somebody of the server, found by name, or anybody by their Discord id. */
export function InviteForm() {
  const { t } = useWords();
  const { guildId, role: own } = useGuild();
  const queryClient = useQueryClient();
  const [person, setPerson] = useState<{ chatUserId: string; name: string }>();
  const [role, setRole] = useState<'viewer' | 'manager' | 'admin'>('manager');
  const [round, setRound] = useState(0);
  const invite = useMutation({
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
        <PersonSearch key={round} onChosen={setPerson} />
        <Select
          label={t('team.role')}
          allowDeselect={false}
          value={role}
          data={choices.map((value) => ({ value, label: t(`role.${value}`) }))}
          onChange={(value) => setRole(choices.find((each) => each === value) ?? role)}
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
          t(invite.data.notified ? 'team.told' : 'team.not_told', { name: invite.data.username ?? '' })}
      </p>
      <Failed error={invite.error} />
    </Section>
  );
}

const isId = (text: string): boolean => /^[1-9]\d{16,19}$/.test(text);

function PersonSearch({ onChosen }: { onChosen: (person: { chatUserId: string; name: string } | undefined) => void }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const [typed, setTyped] = useState('');
  const [wanted] = useDebouncedValue(typed.trim(), 400);
  const box = useCombobox({ onDropdownClose: () => box.resetSelectedOption() });
  const people = useQuery({
    queryKey: [...guildKey(guildId), 'people', wanted],
    enabled: wanted.length >= 2,
    queryFn: () =>
      answerOf(api.GET('/api/guilds/{guildId}/people', { params: { path: { guildId }, query: { q: wanted } } })),
  });
  const found = people.data?.data ?? [];
  const choose = (chatUserId: string) => {
    const name = found.find((each) => each.chatUserId === chatUserId)?.username ?? chatUserId;
    setTyped(name);
    onChosen({ chatUserId, name });
    box.closeDropdown();
  };
  return (
    <Combobox store={box} onOptionSubmit={choose}>
      <Combobox.Target>
        <TextInput
          label={t('team.person')}
          description={t('team.person_hint')}
          value={typed}
          error={people.isError ? t('team.search_failed') : undefined}
          onFocus={() => box.openDropdown()}
          onBlur={() => box.closeDropdown()}
          onChange={({ currentTarget: { value } }) => {
            setTyped(value);
            onChosen(isId(value.trim()) ? { chatUserId: value.trim(), name: value.trim() } : undefined);
            box.openDropdown();
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={wanted.length < 2 || people.data === undefined}>
        <Combobox.Options>
          {found.map((person) => (
            <PersonOption key={person.chatUserId} person={person} />
          ))}
          {found.length === 0 && <Combobox.Empty>{t('team.nobody')}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

function PersonOption({ person: { chatUserId, username, nickname, avatarUrl } }: { person: Person }) {
  return (
    <Combobox.Option value={chatUserId}>
      <span className={css.person}>
        <Avatar src={avatarUrl} name={username} size="sm" color="gray" alt="" />
        <span>
          {username}
          {nickname !== null && <span className={css.quiet}> ({nickname})</span>}
        </span>
      </span>
    </Combobox.Option>
  );
}
