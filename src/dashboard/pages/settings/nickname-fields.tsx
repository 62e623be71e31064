import { Switch, TextInput } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { Schemas } from '../../../client/api-types.js';
import { meQuery } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { memberQuery } from '../../guild/member-query.js';
import { useWords } from '../../i18n/words-provider.js';
import { nicknameOf } from './nickname-example.js';
import css from './settings.module.css';
import type { FieldsProps } from './settings-fields.js';

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
      {me !== null && <Example template={nickname.template} me={me} />}
    </>
  );
}

function Example({ template, me }: { template: string; me: Schemas['CurrentPerson'] }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const needsRanks = template.includes('{group');
  const member = useQuery({ ...memberQuery(guildId, me.chatUserId), enabled: needsRanks, retry: false });
  const name = nicknameOf(template, {
    chatUsername: me.username,
    gameUsername: me.account?.gameUsername ?? 'RobloxName',
    gameDisplayName: me.account?.gameDisplayName ?? 'Roblox Name',
    ranks: member.data?.groupRanks ?? [],
  });
  return (
    <p className={css.note} role="status">
      {t(me.account === null ? 'settings.example_other' : 'settings.example')} <strong>{name}</strong>
    </p>
  );
}
