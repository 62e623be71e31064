import { Switch, TextInput } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { meQuery } from '../../api/queries.js';
import { NicknameExample } from '../../guild/nickname-example.js';
import { useWords } from '../../i18n/words-provider.js';
import type { FieldsProps } from './fields-props.js';

/** The nickname template, and its result for the person's own names. */
export function NicknameFields({ draft, onChange, disabled, problems }: FieldsProps) {
  const { t } = useWords();
  const { nickname } = draft;
  const { data: me } = useSuspenseQuery(meQuery);
  const set = (changed: Partial<typeof nickname>) => onChange({ ...draft, nickname: { ...nickname, ...changed } });
  return (
    <>
      <Switch
        label={t('setting.nickname.enabled')}
        disabled={disabled}
        checked={nickname.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      <TextInput
        label={t('setting.nickname.template')}
        description={t('settings.template_why')}
        error={problems['nickname.template']}
        disabled={disabled}
        value={nickname.template}
        onChange={(event) => set({ template: event.currentTarget.value })}
      />
      {me !== null && <NicknameExample template={nickname.template} me={me} />}
    </>
  );
}
