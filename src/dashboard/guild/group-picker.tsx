import { Avatar } from '@mantine/core';
import { useWords } from '../i18n/words-provider.js';
import { Picker, type PickerProps } from './picker.js';
import { useGroups } from './use-groups.js';

/** The id in a typed number or in a group page's address. */
const idIn = (typed: string): string | undefined =>
  /^\d{1,15}$/.exec(typed.trim())?.[0] ?? /roblox\.com\/\D*(\d{1,15})/.exec(typed)?.[1];

/** Chooses some Roblox groups: an attached one by its name, any by its id or address. */
export function GroupPicker(props: PickerProps) {
  const { value } = props;
  const { t } = useWords();
  const groups = useGroups();
  const nameOf = (id: string) => groups.get(id)?.name ?? t('group_name.by_id', { id });
  const optionFor = (typed: string) => {
    const id = idIn(typed);
    if (id === undefined || value.includes(id) || groups.has(id)) return undefined;
    return { value: id, label: nameOf(id) };
  };
  return (
    <Picker
      {...props}
      nameOf={nameOf}
      mark={(id) => <Avatar name={nameOf(id)} size="1.125rem" radius="sm" alt="" aria-hidden="true" />}
      placeholder={t('group_name.choose')}
      options={[...groups.values()]
        .filter(({ groupId }) => !value.includes(groupId))
        .map(({ groupId, name }) => ({ value: groupId, label: `${name} · ${groupId}` }))}
      optionFor={optionFor}
    />
  );
}
