import { Avatar, Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answerOf, api } from '../api/client.js';
import { useWords } from '../i18n/words-provider.js';
import { ActButton } from '../parts/act-button.js';
import { Failed } from '../parts/states.js';
import css from './find-group.module.css';
import { useGuild } from './guild-context.js';

interface NamedGroup {
  groupId: string;
  name: string;
  memberCount: number;
}

/** A group as the API takes it. */
export type GroupReference = { groupId: string } | { url: string };

/** A number or a link; everything else is a name. */
function referenceIn(text: string): GroupReference | undefined {
  if (/^\d+$/.test(text)) return { groupId: text };
  return /roblox\.com\/.*\d/.test(text) ? { url: text } : undefined;
}

/** The only group found, or the only one with exactly that name. Roblox has many groups with one name. */
function onlyMatch(found: readonly NamedGroup[], name: string): NamedGroup | undefined {
  const exact = found.filter((group) => group.name.toLowerCase() === name.toLowerCase());
  const [only, another] = exact.length > 0 ? exact : found;
  return another === undefined ? only : undefined;
}

/** Finds a Roblox group by its name, number or link. Among several groups the person chooses one. */
export function FindGroup(props: {
  label: string;
  act: string;
  variant: 'filled' | 'default';
  /** Why nobody may choose here; undefined where they may. */
  reason?: string | undefined;
  isChoosing: boolean;
  /** The last choice's refusal. */
  error: unknown;
  onChoose: (group: GroupReference) => void;
}) {
  const { label, act, variant, reason, isChoosing, error, onChoose } = props;
  const { t } = useWords();
  const { guildId } = useGuild();
  const [typed, setTyped] = useState('');
  const search = useMutation({
    mutationFn: (q: string) =>
      answerOf(api.GET('/api/guilds/{guildId}/groups/search', { params: { path: { guildId }, query: { q } } })),
    onSuccess({ data }, q) {
      const only = onlyMatch(data, q);
      if (only !== undefined) onChoose({ groupId: only.groupId });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const text = typed.trim();
    if (reason !== undefined || text === '') return;
    const reference = referenceIn(text);
    search.reset();
    if (reference !== undefined) onChoose(reference);
    else search.mutate(text);
  };
  const found = search.data?.data ?? [];
  const isOpen = found.length > 0 && onlyMatch(found, search.variables ?? '') === undefined;
  return (
    <div>
      <form onSubmit={submit} className={css.search}>
        <TextInput
          className={css.field ?? ''}
          label={label}
          description={t('setup_page.group_hint')}
          maxLength={100}
          disabled={reason !== undefined}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <ActButton type="submit" reason={reason} variant={variant} loading={search.isPending || isChoosing}>
          {act}
        </ActButton>
      </form>
      <Failed error={search.error ?? error} />
      {search.data !== undefined && found.length === 0 && <p role="status">{t('setup_page.found_none')}</p>}
      {isOpen && <GroupList label={t('setup_page.found')} groups={found} onChoose={onChoose} />}
    </div>
  );
}

export function GroupName({ group: { name, memberCount } }: { group: NamedGroup }) {
  const { t } = useWords();
  return (
    <span className={css.group}>
      <Avatar name={name} size="sm" radius="sm" alt="" aria-hidden="true" />
      <span>
        <strong>{name}</strong> <span className={css.quiet}>{t('groups.members', { count: memberCount })}</span>
      </span>
    </span>
  );
}

/** Groups to choose from, under a heading. */
export function GroupList(props: {
  label: string;
  groups: readonly NamedGroup[];
  onChoose: (group: { groupId: string }) => void;
}) {
  const { label, groups, onChoose } = props;
  const { t } = useWords();
  return (
    <>
      <h3 className={css.small}>{label}</h3>
      <ul className={css.found} aria-label={label}>
        {groups.map((group) => (
          <li key={group.groupId}>
            <GroupName group={group} />
            <Button
              size="xs"
              variant="default"
              aria-label={t('setup_page.choose_group', { group: group.name })}
              onClick={() => onChoose({ groupId: group.groupId })}
            >
              {t('setup_page.choose')}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
