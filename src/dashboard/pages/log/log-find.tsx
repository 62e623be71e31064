import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { mappingsQuery } from '../../api/queries.js';
import { logQuery } from '../../api/team-queries.js';
import { useFoundMembers } from '../../guild/found-members.js';
import { useGuild } from '../../guild/guild-context.js';
import { actorName } from '../../guild/log-words.js';
import { useRoles } from '../../guild/role-names.js';
import { useGroups } from '../../guild/use-groups.js';
import { useNameOf } from '../../guild/use-name-of.js';
import { useWords } from '../../i18n/words-provider.js';
import { SearchChoice } from '../../parts/search-choice.js';
import { filterOf, type LogSearch } from './log-search.js';

/** A Discord or Roblox id, or our own. */
const anyId = /^(\d{1,20}|[a-z]+_[0-9a-f]{24})$/;

/** Finds a person or thing by part of its name, or by its id, to show the entries by and about it. */
export function LogFind({ search, onFound }: { search: LogSearch; onFound: (id: string) => unknown }) {
  const { t } = useWords();
  const [typed, setTyped] = useState('');
  const members = useFoundMembers(useDeferredValue(typed.trim()));
  const things = useThings(search);
  const options = new Map([...things, ...members.map(({ memberId, name }) => [memberId, name] as const)]);
  const optionFor = (text: string) => {
    const id = text.trim();
    return anyId.test(id) ? { value: id, label: options.get(id) ?? id } : undefined;
  };
  return (
    <SearchChoice
      label={t('log.find')}
      placeholder={t('log.find_hint')}
      value={undefined}
      options={[...options].map(([value, label]) => ({ value, label }))}
      optionFor={optionFor}
      onType={setTyped}
      onChange={onFound}
    />
  );
}

/** Names that are known without a question: from the shown entries, and from roles, groups and mappings. */
function useThings(search: LogSearch): (readonly [string, string])[] {
  const { t } = useWords();
  const { guildId } = useGuild();
  const nameOf = useNameOf();
  const { data: shown } = useInfiniteQuery(logQuery(guildId, filterOf(search)));
  const { data: mappings = [] } = useQuery(mappingsQuery(guildId));
  const ids = [...useRoles().keys(), ...useGroups().keys(), ...mappings.map(({ mappingId }) => mappingId)];
  return [
    ...(shown?.pages ?? []).flatMap(({ data }) =>
      data.flatMap(({ actor, target }) => [
        [actor.id, actorName(actor, t)] as const,
        ...(target.name === null ? [] : [[target.id, target.name] as const]),
      ]),
    ),
    ...ids.map((id) => [id, nameOf(id) ?? id] as const),
  ];
}
