import { Button, CloseButton, NativeSelect, TextInput } from '@mantine/core';
import type { Condition } from '../../api/queries.js';
import { useGroups } from '../../guild/use-groups.js';
import { useWords } from '../../i18n/words-provider.js';
import { NumberField } from '../../parts/number-field.js';
import { SearchChoice } from '../../parts/search-choice.js';
import { depthOf, type Kind, kindsAt, maxDepth, maxParts, startOf } from './condition-draft.js';
import { FactParts } from './fact-parts.js';
import css from './mappings.module.css';

interface PartProps<Value = Condition> {
  value: Value;
  onChange: (value: Condition) => void;
  /** 1 for the whole condition. */
  depth: number;
  disabled: boolean;
}

/** A condition that ends the sentence "everyone who …": each part is a choice in the line. */
export function ConditionEditor({ value, onChange, depth, disabled }: PartProps) {
  const { t } = useWords();
  const [group, another] = useGroups().keys();
  const kinds = kindsAt(depth).filter((kind) => fits(kind, value, depth));
  const choices = kinds.includes(value.type) ? kinds : [...kinds, value.type];
  return (
    <div className={css.part}>
      <NativeSelect
        aria-label={t('editor.kind')}
        disabled={disabled}
        value={value.type}
        data={choices.map((kind) => ({ value: kind, label: t(`kind.${kind}`) }))}
        onChange={({ currentTarget }) => {
          const chosen = choices.find((each) => each === currentTarget.value);
          if (chosen !== undefined && chosen !== value.type) {
            onChange(startOf(chosen, value, another === undefined ? group : ''));
          }
        }}
      />
      {'groupId' in value && <GroupParts value={value} onChange={onChange} depth={depth} disabled={disabled} />}
      {(value.type === 'account_age' || value.type === 'owns_item') && (
        <AccountParts value={value} onChange={onChange} depth={depth} disabled={disabled} />
      )}
      {value.type === 'fact' && <FactParts value={value} onChange={onChange} disabled={disabled} />}
      {(value.type === 'all' || value.type === 'any') && (
        <ManyParts value={value} onChange={onChange} depth={depth} disabled={disabled} />
      )}
      {value.type === 'not' && (
        <div className={css.rail}>
          <ConditionEditor
            value={value.of}
            onChange={(of) => onChange({ type: 'not', of })}
            depth={depth + 1}
            disabled={disabled}
          />
        </div>
      )}
    </div>
  );
}

/** Nesting the condition in one with parts needs another level. */
const fits = (kind: Kind, value: Condition, depth: number): boolean =>
  !['all', 'any', 'not'].includes(kind) || kind === value.type || depth + depthOf(value) <= maxDepth;

type OfAccount = Extract<Condition, { type: 'account_age' | 'owns_item' }>;
const itemKinds = ['badge', 'game_pass', 'asset'] as const;

function AccountParts({ value, onChange, disabled }: PartProps<OfAccount>) {
  const { t } = useWords();
  if (value.type === 'account_age') {
    return (
      <NumberField
        aria-label={t('editor.days')}
        min={1}
        max={3_650}
        disabled={disabled}
        value={value.days}
        onChange={(days) => onChange({ ...value, days: days ?? 1 })}
      />
    );
  }
  return (
    <>
      <NativeSelect
        aria-label={t('editor.item_kind')}
        disabled={disabled}
        value={value.kind}
        data={itemKinds.map((kind) => ({ value: kind, label: t(`item.${kind}`) }))}
        onChange={({ currentTarget }) =>
          onChange({ ...value, kind: itemKinds.find((kind) => kind === currentTarget.value) ?? 'badge' })
        }
      />
      <TextInput
        aria-label={t('editor.item_id')}
        placeholder={t('editor.item_id')}
        inputMode="numeric"
        disabled={disabled}
        value={value.id}
        onChange={({ currentTarget }) => onChange({ ...value, id: currentTarget.value.trim() })}
      />
    </>
  );
}

type OfGroup = Extract<Condition, { groupId: string }>;

function GroupParts({ value, onChange, disabled }: PartProps<OfGroup>) {
  const { t } = useWords();
  const groups = useGroups();
  const group = groups.get(value.groupId);
  const ranks = [...(group?.roles ?? [])].sort((a, b) => a.rank - b.rank).filter(({ rank }) => rank > 0);
  const choose = (groupId: string) => {
    if (value.type === 'group_role') onChange({ ...value, groupId, gameRoleId: '' });
    else if (value.type === 'group_rank') onChange({ ...value, groupId, min: 1, max: 255 });
    else onChange({ ...value, groupId });
  };
  const numbered = ranks.map(({ rank, name }) => ({ value: String(rank), label: `${name} (${rank})` }));
  return (
    <>
      <SearchChoice
        aria-label={t('editor.group')}
        disabled={disabled}
        value={value.groupId}
        placeholder={t(groups.size === 0 ? 'editor.no_group' : 'editor.choose_group')}
        options={[...groups.values()].map(({ groupId, name }) => ({ value: groupId, label: name }))}
        onChange={choose}
      />
      {value.type === 'group_role' && (
        <SearchChoice
          aria-label={t('editor.rank')}
          disabled={disabled}
          value={value.gameRoleId}
          placeholder={t('editor.choose_rank')}
          options={ranks.map(({ gameRoleId, name, rank }) => ({ value: gameRoleId, label: `${name} (${rank})` }))}
          onChange={(gameRoleId) => onChange({ ...value, gameRoleId })}
        />
      )}
      {value.type === 'group_rank' && group !== undefined && (
        <>
          <RankSelect
            label={t('editor.from')}
            data={numbered}
            value={value.min}
            disabled={disabled}
            onChange={(min) => onChange({ ...value, min, max: Math.max(min, value.max) })}
          />
          <RankSelect
            label={t('editor.to')}
            data={numbered}
            value={value.max}
            disabled={disabled}
            onChange={(max) => onChange({ ...value, max, min: Math.min(max, value.min) })}
          />
        </>
      )}
    </>
  );
}

function RankSelect(props: {
  label: string;
  data: readonly { value: string; label: string }[];
  value: number;
  disabled: boolean;
  onChange: (rank: number) => void;
}) {
  const { label, data, value, disabled, onChange } = props;
  // A bound may be a number that no rank has, as 1 and 255 are.
  const known = data.some((each) => each.value === String(value));
  return (
    <NativeSelect
      aria-label={label}
      leftSection={<span className={css.bound}>{label}</span>}
      leftSectionWidth="3.5rem"
      disabled={disabled}
      value={String(value)}
      data={known ? [...data] : [...data, { value: String(value), label: String(value) }]}
      onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
    />
  );
}

type Many = Extract<Condition, { type: 'all' | 'any' }>;

function ManyParts({ value, onChange, depth, disabled }: PartProps<Many>) {
  const { t } = useWords();
  const replace = (index: number, parts: readonly Condition[]) =>
    onChange({ ...value, of: value.of.toSpliced(index, 1, ...parts) });
  return (
    <div className={css.rail}>
      {value.of.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have nothing but their place, and keep no state
        <div key={index} className={css.row}>
          <span className={css.joint}>{index > 0 && t(value.type === 'all' ? 'editor.and' : 'editor.or')}</span>
          <ConditionEditor
            value={part}
            onChange={(changed) => replace(index, [changed])}
            depth={depth + 1}
            disabled={disabled}
          />
          {value.of.length > 1 && !disabled && (
            <CloseButton aria-label={t('editor.remove_part')} onClick={() => replace(index, [])} />
          )}
        </div>
      ))}
      {value.of.length < maxParts && !disabled && (
        <Button
          size="xs"
          variant="default"
          onClick={() => onChange({ ...value, of: [...value.of, { type: 'verified' }] })}
        >
          {t(value.type === 'all' ? 'editor.add_and' : 'editor.add_or')}
        </Button>
      )}
    </div>
  );
}
