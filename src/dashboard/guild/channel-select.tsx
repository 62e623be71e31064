import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { channelsQuery } from '../api/queries.js';
import { useWords } from '../i18n/words-provider.js';
import { Failed } from '../parts/states.js';
import { useGuild } from './guild-context.js';

/** A server's text channel, or none. A channel in which the bot can't write shows the reason. */
export function ChannelSelect(props: {
  id?: string;
  label: string;
  description?: string;
  error: string | undefined;
  disabled: boolean;
  value: string | null;
  onChange: (channelId: string | null) => void;
}) {
  const { id, label, description, error, disabled, value, onChange } = props;
  const { t } = useWords();
  const channels = useQuery({ ...channelsQuery(useGuild().guildId), enabled: !disabled });
  const known = (channels.data ?? []).filter(({ kind }) => kind === 'text' || kind === 'announcement');
  // The stored channel stays in the list if it is gone, or the list can't be loaded.
  const stray = value !== null && !known.some(({ channelId }) => channelId === value) ? [value] : [];
  return (
    <>
      <NativeSelect
        {...(id !== undefined && { id })}
        label={label}
        description={description}
        error={error}
        disabled={disabled}
        value={value ?? ''}
        data={[
          { value: '', label: t('settings.no_channel') },
          ...known.map(({ channelId, name, writable, reason }) => ({
            value: channelId,
            label: writable || reason === null ? `#${name}` : `#${name} · ${t(`channel.${reason}`)}`,
            disabled: !writable,
          })),
          ...stray.map((id) => ({ value: id, label: id })),
        ]}
        onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? null : currentTarget.value)}
      />
      <Failed error={channels.error} onRetry={channels.refetch} />
    </>
  );
}
