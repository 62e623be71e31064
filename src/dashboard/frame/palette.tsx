import { Modal, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react';
import { mappingsQuery } from '../api/queries.js';
import { conditionWords } from '../guild/condition-words.js';
import { useFoundMembers } from '../guild/found-members.js';
import { useGuild } from '../guild/guild-context.js';
import { useRoleName } from '../guild/role-names.js';
import { useGroups } from '../guild/use-groups.js';
import { useWords } from '../i18n/words-provider.js';
import { Icon, type IconName } from '../parts/icon.js';
import { guildMenu } from './navigation.js';
import css from './palette.module.css';

interface Place {
  key: string;
  icon: IconName;
  name: string;
  hint: string;
  to: string;
  params: Readonly<Record<string, string>>;
  search?: Readonly<Record<string, string>>;
}

const mostOfAKind = 6;

/** Every place by its name: pages, mappings and members, found while typing and opened by Enter. */
export function Palette(props: { typed: string; onType: (typed: string) => void; onClose: () => void }) {
  const { typed, onType, onClose } = props;
  const { t } = useWords();
  const navigate = useNavigate();
  const id = useId();
  const [at, setAt] = useState(0);
  const places = usePlaces(typed.trim());
  const chosen = Math.min(at, places.length - 1);
  const open = ({ to, params, search = {} }: Place) => {
    onClose();
    void navigate({ to, params, search });
  };
  const press = (event: KeyboardEvent) => {
    const place = places[chosen];
    if (event.key === 'Enter' && place !== undefined) open(place);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || places.length === 0) return;
    event.preventDefault();
    setAt((chosen + step + places.length) % places.length);
  };
  return (
    <Modal opened onClose={onClose} title={t('palette.title')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <TextInput
        data-autofocus
        role="combobox"
        aria-label={t('palette.label')}
        placeholder={t('palette.label')}
        aria-expanded={places.length > 0}
        aria-controls={id}
        {...(places.length > 0 && { 'aria-activedescendant': `${id}-${chosen}` })}
        value={typed}
        onKeyDown={press}
        onChange={(event) => {
          onType(event.currentTarget.value);
          setAt(0);
        }}
      />
      <div role="listbox" id={id} aria-label={t('palette.title')} className={css.places}>
        {places.map((place, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the box above has the focus and the keys, as a combobox has
          <div
            key={place.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={css.place}
            onClick={() => open(place)}
          >
            <Icon name={place.icon} />
            <span className={css.name}>{place.name}</span>
            <span className={css.hint}>{place.hint}</span>
          </div>
        ))}
      </div>
      {places.length === 0 && (
        <p role="status" className={css.none}>
          {t('palette.none')}
        </p>
      )}
    </Modal>
  );
}

function usePlaces(wanted: string): Place[] {
  const words = useWords();
  const { t, language } = words;
  const { guildId } = useGuild();
  const roleName = useRoleName();
  const groups = useGroups();
  const { data: mappings = [] } = useQuery(mappingsQuery(guildId));
  const people = useMembers(useDeferredValue(wanted));
  const low = wanted.toLocaleLowerCase(language);
  const isMeant = ({ name }: Place) => name.toLocaleLowerCase(language).includes(low);
  const pages = guildMenu.flatMap(({ name: group, pages: some }) =>
    some.map(({ to, name, icon }): Place => {
      return { key: to, icon, name: t(name), hint: group === undefined ? '' : t(group), to, params: { guildId } };
    }),
  );
  if (low === '') return pages;
  const rules = mappings.map(({ mappingId, name, roleIds, condition }): Place => {
    const whom = conditionWords(condition, groups, words);
    const called = [name ?? '', words.list(roleIds.map(roleName)), whom].filter((part) => part !== '').join(' · ');
    const to = '/g/$guildId/mappings/$mappingId';
    return {
      key: mappingId,
      icon: 'arrows',
      name: called,
      hint: t('nav.mappings'),
      to,
      params: { guildId, mappingId },
    };
  });
  return [...pages.filter(isMeant), ...people, ...rules.filter(isMeant).slice(0, mostOfAKind)];
}

function useMembers(wanted: string): Place[] {
  const { t } = useWords();
  const { guildId } = useGuild();
  return useFoundMembers(wanted).map(({ memberId, name }): Place => {
    const search = { member: memberId };
    return {
      key: memberId,
      icon: 'people',
      name,
      hint: t('nav.members'),
      to: '/g/$guildId/members',
      params: { guildId },
      search,
    };
  });
}
