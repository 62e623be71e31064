import { Button, Group, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type AdminGuild, platformKey } from '../../api/admin-queries.js';
import { answerOf, api } from '../../api/client.js';
import { fieldProblems } from '../../api/refusal.js';
import { useWords } from '../../i18n/words-provider.js';
import { Failed } from '../../parts/states.js';

const longestReason = 500;

/** Confirms a server's suspension or restoration, explains the effect, and takes the reason. */
export function SuspensionDialog({ guild, onClose }: { guild: AdminGuild; onClose: () => void }) {
  const words = useWords();
  const { t } = words;
  const { guildId, name, state, linkedMembers } = guild;
  const [isRestoring] = useState(state === 'suspended');
  const [reason, setReason] = useState('');
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: (why: string): Promise<unknown> => {
      const params = { path: { guildId } };
      return isRestoring
        ? answerOf(
            api.POST('/api/admin/guilds/{guildId}/unsuspend', { params, body: { reason: why === '' ? null : why } }),
          )
        : answerOf(api.POST('/api/admin/guilds/{guildId}/suspend', { params, body: { reason: why } }));
    },
    // Also after a refusal: another admin may have been quicker.
    onSettled: () => queryClient.invalidateQueries({ queryKey: platformKey }),
    onSuccess: onClose,
  });
  const problem = fieldProblems(change.error, words).reason;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(reason.trim());
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(isRestoring ? 'admin.restore_title' : 'admin.suspend_title', { name })}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <form onSubmit={submit}>
        <p>{isRestoring ? t('admin.restore_words') : t('admin.suspend_words', { count: linkedMembers })}</p>
        <TextInput
          data-autofocus
          label={t(isRestoring ? 'admin.restore_reason' : 'admin.reason')}
          description={t(isRestoring ? 'admin.restore_reason_hint' : 'admin.reason_hint')}
          required={!isRestoring}
          maxLength={longestReason}
          value={reason}
          error={problem}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {problem === undefined && <Failed error={change.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            {t('action.cancel')}
          </Button>
          <Button
            type="submit"
            {...(!isRestoring && { color: 'red' })}
            loading={change.isPending}
            disabled={!isRestoring && reason.trim() === ''}
          >
            {t(isRestoring ? 'admin.restore' : 'admin.suspend')}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
