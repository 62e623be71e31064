import { Avatar, Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { useGuild } from '../../guild/guild-context.js';
import { useGroups } from '../../guild/use-groups.js';
import { useWords } from '../../i18n/words-provider.js';
import { TextLink } from '../../parts/link-button.js';
import { Section } from '../../parts/page.js';
import { Failed } from '../../parts/states.js';
import css from './setup.module.css';
import { type Setup, useChangeSetup } from './setup-queries.js';

interface NamedGroup {
  groupId: string;
  name: string;
  memberCount: number;
}

export function GroupStep({ setup: { group }, isNext }: { setup: Setup; isNext: boolean }) {
  const { t } = useWords();
  const [isSearching, setSearching] = useState(false);
  return (
    <Section title={t('setup_page.group')}>
      {group !== null && !isSearching ? (
        <div className={css.chosen}>
          <GroupName group={group} />
          <Button size="xs" variant="default" onClick={() => setSearching(true)}>
            {t('setup_page.other_group')}
          </Button>
        </div>
      ) : (
        <ChooseGroup current={group} isNext={isNext} onChosen={() => setSearching(false)} />
      )}
    </Section>
  );
}

function GroupName({ group: { name, memberCount } }: { group: NamedGroup }) {
  const { t } = useWords();
  return (
    <span className={css.group}>
      <Avatar name={name} size="sm" radius="sm" color="gray" alt="" aria-hidden="true" />
      <span>
        <strong>{name}</strong> <span className={css.quiet}>{t('groups.members', { count: memberCount })}</span>
      </span>
    </span>
  );
}

/** A number or a link; everything else is a name. */
function referenceIn(text: string): { groupId: string } | { url: string } | undefined {
  if (/^\d+$/.test(text)) return { groupId: text };
  return /roblox\.com\/.*\d/.test(text) ? { url: text } : undefined;
}

function ChooseGroup(props: { current: NamedGroup | null; isNext: boolean; onChosen: () => void }) {
  const { current, isNext, onChosen } = props;
  const { t } = useWords();
  const { guildId } = useGuild();
  const attached = [...useGroups().values()];
  const change = useChangeSetup();
  const choose = (group: { groupId: string } | { url: string } | null) =>
    change.mutate({ group }, { onSuccess: onChosen });
  const [typed, setTyped] = useState('');
  const search = useMutation({
    mutationFn: (q: string) =>
      answerOf(api.GET('/api/guilds/{guildId}/groups/search', { params: { path: { guildId }, query: { q } } })),
    onSuccess({ data: [only, another] }) {
      if (only !== undefined && another === undefined) choose({ groupId: only.groupId });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const text = typed.trim();
    const reference = referenceIn(text);
    if (reference !== undefined) choose(reference);
    else if (text !== '') search.mutate(text);
  };
  const found = search.data?.data ?? [];
  return (
    <>
      <form onSubmit={submit} className={css.search}>
        <TextInput
          className={css.field ?? ''}
          label={t('setup_page.group_find')}
          description={t('setup_page.group_hint')}
          maxLength={100}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit" variant={isNext ? 'filled' : 'default'} loading={search.isPending || change.isPending}>
          {t('setup_page.find')}
        </Button>
      </form>
      <Failed error={search.error ?? change.error} />
      {search.data !== undefined && found.length === 0 && <p role="status">{t('setup_page.found_none')}</p>}
      {found.length > 1 && <GroupList label={t('setup_page.found')} groups={found} onChoose={choose} />}
      {attached.length > 0 && <GroupList label={t('setup_page.attached')} groups={attached} onChoose={choose} />}
      <div className={css.ways}>
        {current !== null && (
          <Button size="compact-sm" variant="subtle" onClick={() => choose(null)}>
            {t('setup_page.without_group')}
          </Button>
        )}
        <TextLink to="/g/$guildId/mappings/import" params={{ guildId }}>
          {t('setup_page.import_mappings')}
        </TextLink>
        <TextLink to="/g/$guildId/people" params={{ guildId }}>
          {t('setup_page.import')}
        </TextLink>
      </div>
    </>
  );
}

function GroupList(props: {
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
