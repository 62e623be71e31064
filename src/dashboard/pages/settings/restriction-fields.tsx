import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Settings } from '../../api/queries.js';
import { GroupPicker } from '../../guild/group-picker.js';
import { useWords } from '../../i18n/words-provider.js';
import { NumberField } from '../../parts/number-field.js';
import type { FieldsProps } from './fields-props.js';
import css from './settings.module.css';

type Restrictions = Settings['restrictions'];
const actions = ['refuse_roles', 'kick'] as const;
/** The group lists, and the most groups in each. */
const groupLists = [
  ['requiredGroupIds', 5],
  ['deniedGroupIds', 20],
] as const;

/** A list's problem, or one of its items'. */
const problemIn = (problems: FieldsProps['problems'], list: string): string | undefined =>
  problems[list] ?? Object.entries(problems).find(([path]) => path.startsWith(`${list}.`))?.[1];

/** Restrictions: verified members that get no roles. */
export function RestrictionFields({ draft, onChange, disabled, problems }: FieldsProps) {
  const { t } = useWords();
  const { restrictions } = draft;
  const set = (changed: Partial<Restrictions>) => onChange({ ...draft, restrictions: { ...restrictions, ...changed } });
  return (
    <>
      <p className={css.note}>{t('settings.restrictions_why')}</p>
      <NumberField
        label={t('setting.restrictions.minimumAccountAgeDays')}
        error={problems['restrictions.minimumAccountAgeDays']}
        disabled={disabled}
        min={0}
        max={3_650}
        value={restrictions.minimumAccountAgeDays}
        onChange={(days) => set({ minimumAccountAgeDays: days ?? 0 })}
      />
      {groupLists.map(([name, max]) => (
        <GroupPicker
          key={name}
          label={t(`setting.restrictions.${name}`)}
          error={problemIn(problems, `restrictions.${name}`)}
          disabled={disabled}
          max={max}
          value={restrictions[name]}
          onChange={(ids) => set({ [name]: ids })}
        />
      ))}
      <IdList
        label={t('setting.restrictions.deniedGameUserIds')}
        error={problems['restrictions.deniedGameUserIds']}
        disabled={disabled}
        value={restrictions.deniedGameUserIds}
        onChange={(deniedGameUserIds) => set({ deniedGameUserIds })}
      />
      <NativeSelect
        label={t('setting.restrictions.action')}
        disabled={disabled}
        value={restrictions.action}
        data={actions.map((value) => ({ value, label: t(`restriction_action.${value}`) }))}
        onChange={({ currentTarget }) =>
          set({ action: actions.find((action) => action === currentTarget.value) ?? 'refuse_roles' })
        }
      />
      <TextInput
        label={t('setting.restrictions.reason')}
        error={problems['restrictions.reason']}
        disabled={disabled}
        maxLength={300}
        value={restrictions.reason ?? ''}
        onChange={({ currentTarget }) => set({ reason: currentTarget.value === '' ? null : currentTarget.value })}
      />
    </>
  );
}

/** Roblox ids, one a line. Typed text stays as it is until it is valid. */
function IdList(props: {
  label: string;
  error: string | undefined;
  disabled: boolean;
  value: readonly string[];
  onChange: (ids: string[]) => void;
}) {
  const { label, error, disabled, value, onChange } = props;
  const { t } = useWords();
  const [typed, setTyped] = useState(value.join('\n'));
  const idsIn = (text: string): string[] => text.split(/[\s,]+/).filter((id) => id !== '');
  // Discarding, or a save by another admin, changes the list from outside.
  const shown = idsIn(typed).join() === value.join() ? typed : value.join('\n');
  return (
    <Textarea
      label={label}
      description={t('settings.ids_why')}
      error={error}
      disabled={disabled}
      rows={2}
      value={shown}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(idsIn(currentTarget.value));
      }}
    />
  );
}
