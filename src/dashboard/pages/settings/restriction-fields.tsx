import { NativeSelect, TextInput } from '@mantine/core';
import type { Settings } from '../../api/queries.js';
import { GroupPicker } from '../../guild/group-picker.js';
import { useWords } from '../../i18n/words-provider.js';
import { NumberField } from '../../parts/number-field.js';
import { type FieldsProps, problemIn } from './fields-props.js';
import { IdList } from './id-list.js';
import css from './settings.module.css';

type Restrictions = Settings['restrictions'];
const actions = ['refuse_roles', 'kick'] as const;
/** The group lists, and the most groups in each. */
const groupLists = [
  ['requiredGroupIds', 5],
  ['deniedGroupIds', 20],
] as const;

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
        description={t('settings.ids_why')}
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
