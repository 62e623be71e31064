import { Input, NativeSelect, Switch } from '@mantine/core';
import type { Settings } from '../../api/queries.js';
import { ChannelSelect } from '../../guild/channel-select.js';
import { RolePicker } from '../../guild/role-picker.js';
import { isLanguage, languages } from '../../i18n/words.js';
import { useWords } from '../../i18n/words-provider.js';
import { NumberField } from '../../parts/number-field.js';
import { Section } from '../../parts/page.js';
import { TickBox } from '../../parts/tick-box.js';
import { type FieldsProps, problemIn } from './fields-props.js';
import { IdList } from './id-list.js';
import { JoinFields } from './join-fields.js';
import { NicknameFields } from './nickname-fields.js';
import { RestrictionFields } from './restriction-fields.js';
import css from './settings.module.css';

/** The sections in their order, each with its own address: `#nickname`. */
const parts = [
  ['verification', VerificationFields],
  ['join', JoinFields],
  ['nickname', NicknameFields],
  ['sync', SyncFields],
  ['brake', RemovalLimitFields],
  ['bypass', BypassFields],
  ['restrictions', RestrictionFields],
  ['server', ServerFields],
] as const;

export function SettingsFields(props: FieldsProps) {
  const { t } = useWords();
  return (
    <div className={css.sections}>
      <nav className={css.index} aria-label={t('settings.index')}>
        {parts.map(([name]) => (
          <a key={name} href={`#${name}`} className={css.entry}>
            {t(`settings.${name}`)}
          </a>
        ))}
      </nav>
      <div>
        {parts.map(([name, Fields]) => (
          <Section key={name} id={name} title={t(`settings.${name}`)}>
            <div className={css.fields}>
              <Fields {...props} />
            </div>
          </Section>
        ))}
      </div>
    </div>
  );
}

const methods = ['oauth', 'profile_code'] as const;
const reveals = ['auto', 'ask'] as const;
const modes = ['enforce', 'observe'] as const;

function VerificationFields({ draft, onChange, disabled, problems }: FieldsProps) {
  const { t } = useWords();
  const { verification, autoLinkOnJoin, waitForRules, reveal, accounts } = draft;
  const set = (changed: Partial<Settings['verification']>) =>
    onChange({ ...draft, verification: { ...verification, ...changed } });
  return (
    <>
      <Switch
        label={t('setting.verification.enabled')}
        disabled={disabled}
        checked={verification.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      <Input.Wrapper
        role="group"
        aria-label={t('setting.verification.methods')}
        label={t('setting.verification.methods')}
        labelElement="div"
        error={problems['verification.methods']}
      >
        {methods.map((name) => (
          <label key={name} htmlFor={`method-${name}`} className={css.method}>
            <TickBox
              id={`method-${name}`}
              disabled={disabled}
              checked={verification.methods.includes(name)}
              onChange={({ currentTarget: { checked } }) =>
                set({
                  methods: methods.filter((each) => (each === name ? checked : verification.methods.includes(each))),
                })
              }
            />
            {t(`method.${name}`)}
          </label>
        ))}
      </Input.Wrapper>
      <NumberField
        label={t('setting.verification.minimumAccountAgeDays')}
        description={t('settings.age_why')}
        error={problems['verification.minimumAccountAgeDays']}
        disabled={disabled}
        min={0}
        max={3_650}
        value={verification.minimumAccountAgeDays}
        onChange={(days) => set({ minimumAccountAgeDays: days ?? 0 })}
      />
      <Switch
        label={t('setting.autoLinkOnJoin')}
        description={t('settings.auto_link_why')}
        disabled={disabled}
        checked={autoLinkOnJoin}
        onChange={(event) => onChange({ ...draft, autoLinkOnJoin: event.currentTarget.checked })}
      />
      <Switch
        label={t('setting.waitForRules')}
        description={t('settings.wait_for_rules_why')}
        disabled={disabled}
        checked={waitForRules}
        onChange={(event) => onChange({ ...draft, waitForRules: event.currentTarget.checked })}
      />
      <NativeSelect
        label={t('setting.reveal')}
        description={t('settings.reveal_why')}
        disabled={disabled}
        value={reveal}
        data={reveals.map((value) => ({ value, label: t(`reveal.${value}`) }))}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...draft, reveal: reveals.find((one) => one === value) ?? 'auto' })
        }
      />
      <Switch
        label={t('accounts.main')}
        disabled={disabled}
        checked={accounts === 'main'}
        onChange={(event) => onChange({ ...draft, accounts: event.currentTarget.checked ? 'main' : 'any' })}
      />
    </>
  );
}

function SyncFields({ draft, onChange, disabled, problems }: FieldsProps) {
  const { t } = useWords();
  const { resync, unlink } = draft;
  const toggles = [
    { name: 'removeRoles', checked: unlink.removeRoles },
    { name: 'resetNickname', checked: unlink.resetNickname },
  ] as const;
  return (
    <>
      <NativeSelect
        label={t('setting.mode')}
        description={t('settings.mode_why')}
        disabled={disabled}
        value={draft.mode}
        data={modes.map((value) => ({ value, label: t(`mode.${value}`) }))}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...draft, mode: modes.find((one) => one === value) ?? 'enforce' })
        }
      />
      <Switch
        label={t('setting.resync.automatic')}
        disabled={disabled}
        checked={resync.automatic}
        onChange={(event) => onChange({ ...draft, resync: { ...resync, automatic: event.currentTarget.checked } })}
      />
      <NumberField
        label={t('setting.resync.everyHours')}
        description={t('settings.hours_why')}
        error={problems['resync.everyHours']}
        disabled={disabled}
        min={1}
        max={168}
        value={resync.everyHours}
        onChange={(everyHours) => onChange({ ...draft, resync: { ...resync, everyHours } })}
      />
      {toggles.map(({ name, checked }) => (
        <Switch
          key={name}
          label={t(`setting.unlink.${name}`)}
          disabled={disabled}
          checked={checked}
          onChange={(event) => onChange({ ...draft, unlink: { ...unlink, [name]: event.currentTarget.checked } })}
        />
      ))}
    </>
  );
}

function RemovalLimitFields({ draft, onChange, disabled, problems }: FieldsProps) {
  const { t } = useWords();
  const { massRemoval } = draft;
  return (
    <>
      <p className={css.note}>{t('settings.brake_why')}</p>
      {(['people', 'sharePercent'] as const).map((name) => (
        <NumberField
          key={name}
          label={t(`setting.massRemoval.${name}`)}
          error={problems[`massRemoval.${name}`]}
          disabled={disabled}
          min={name === 'people' ? 1 : 0}
          value={massRemoval[name]}
          onChange={(value) => onChange({ ...draft, massRemoval: { ...massRemoval, [name]: value ?? 0 } })}
        />
      ))}
    </>
  );
}

function BypassFields({ draft, onChange, disabled, problems }: FieldsProps) {
  const { t } = useWords();
  const { bypass } = draft;
  return (
    <>
      <p className={css.note}>{t('settings.bypass_why')}</p>
      {(['keepRoles', 'keepNickname'] as const).map((name) => (
        <RolePicker
          key={name}
          label={t(`setting.bypass.${name}`)}
          error={problems[`bypass.${name}`]}
          disabled={disabled}
          max={10}
          value={bypass[name]}
          onChange={(ids) => onChange({ ...draft, bypass: { ...bypass, [name]: ids } })}
        />
      ))}
    </>
  );
}

function ServerFields({ draft, onChange, disabled, problems }: FieldsProps) {
  const { t } = useWords();
  return (
    <>
      <ChannelSelect
        id="setting-logChannelId"
        label={t('setting.logChannelId')}
        description={t('settings.log_channel_why')}
        error={problems.logChannelId}
        disabled={disabled}
        value={draft.logChannelId}
        onChange={(logChannelId) => onChange({ ...draft, logChannelId })}
      />
      <IdList
        id="setting-universeIds"
        label={t('setting.universeIds')}
        description={t('settings.universes_why')}
        error={problemIn(problems, 'universeIds')}
        disabled={disabled}
        value={draft.universeIds}
        onChange={(universeIds) => onChange({ ...draft, universeIds })}
      />
      <NativeSelect
        label={t('setting.locale')}
        description={t('settings.locale_why')}
        disabled={disabled}
        value={draft.locale}
        data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
        onChange={({ currentTarget: { value } }) => isLanguage(value) && onChange({ ...draft, locale: value })}
      />
      <Switch
        label={t('setting.trustDiscordAdmins')}
        description={t('settings.trust_why')}
        disabled={disabled}
        checked={draft.trustDiscordAdmins}
        onChange={(event) => onChange({ ...draft, trustDiscordAdmins: event.currentTarget.checked })}
      />
    </>
  );
}
