import { useWords } from '../../i18n/words-provider.js';
import { Choice } from '../../parts/choice.js';
import { Section } from '../../parts/page.js';
import { Failed } from '../../parts/states.js';
import { MakeMissing } from './make-missing.js';
import { OneRole } from './one-role.js';
import css from './setup.module.css';
import { choicesOf, type Setup, useChangeSetup } from './setup-queries.js';

const offered = {
  off: 'setup_page.nickname_off',
  '{gameUsername}': 'setup_page.nickname_username',
  '{gameDisplayName}': 'setup_page.nickname_display',
  '{gameDisplayName} (@{gameUsername})': 'setup_page.nickname_both',
} as const;

export function VerifiedStep({ setup, isNext }: { setup: Setup; isNext: boolean }) {
  const { t } = useWords();
  const change = useChangeSetup();
  const { verifiedRoleId, nickname } = choicesOf(setup, change);
  const { group } = setup;
  const chosen = nickname.enabled ? nickname.template : 'off';
  const ofRank =
    group === null
      ? []
      : [{ value: `[{groupRole:${group.groupId}}] {gameUsername}`, label: t('setup_page.nickname_rank') }];
  const known = [...Object.entries(offered).map(([value, key]) => ({ value, label: t(key) })), ...ofRank];
  // The server's own template stays a choice.
  const options = known.some(({ value }) => value === chosen) ? known : [...known, { value: chosen, label: chosen }];
  const rename = (template: string) =>
    change.mutate({
      nickname: template === 'off' ? { ...nickname, enabled: false } : { enabled: true, template },
    });
  return (
    <Section title={t('setup_page.verified')}>
      <div className={css.fields}>
        <OneRole
          label={t('setup_page.verified_role')}
          value={verifiedRoleId}
          onChange={(roleId) => change.mutate({ verifiedRoleId: roleId })}
        />
        <Choice label={t('setup_page.nickname')} value={chosen} options={options} onChange={rename} />
      </div>
      <Failed error={change.error} />
      {group === null && <MakeMissing missing={setup.missing} isNext={isNext} />}
    </Section>
  );
}
