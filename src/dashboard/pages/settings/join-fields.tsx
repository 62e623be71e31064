import { NativeSelect, Textarea } from '@mantine/core';
import type { Settings } from '../../api/queries.js';
import { ChannelSelect } from '../../guild/channel-select.js';
import { useWords } from '../../i18n/words-provider.js';
import type { FieldsProps } from './fields-props.js';

const places = ['none', 'channel', 'dm'] as const;

/** The message for new unverified members. */
export function JoinFields({ draft, onChange, disabled, problems }: FieldsProps) {
  const { t } = useWords();
  const { joinMessage } = draft;
  const set = (changed: Partial<Settings['joinMessage']>) =>
    onChange({ ...draft, joinMessage: { ...joinMessage, ...changed } });
  return (
    <>
      <NativeSelect
        label={t('setting.joinMessage.to')}
        description={t('settings.join_why')}
        error={problems['joinMessage.to']}
        disabled={disabled}
        value={joinMessage.to}
        data={places.map((value) => ({ value, label: t(`join_to.${value}`) }))}
        onChange={({ currentTarget }) => set({ to: places.find((place) => place === currentTarget.value) ?? 'none' })}
      />
      {joinMessage.to === 'channel' && (
        <ChannelSelect
          label={t('setting.joinMessage.channelId')}
          error={problems['joinMessage.channelId']}
          disabled={disabled}
          value={joinMessage.channelId}
          onChange={(channelId) => set({ channelId })}
        />
      )}
      {joinMessage.to !== 'none' && (
        <Textarea
          label={t('setting.joinMessage.text')}
          description={t('settings.join_text_why')}
          error={problems['joinMessage.text']}
          disabled={disabled}
          maxLength={1_500}
          rows={4}
          value={joinMessage.text ?? ''}
          onChange={({ currentTarget }) => set({ text: currentTarget.value === '' ? null : currentTarget.value })}
        />
      )}
    </>
  );
}
