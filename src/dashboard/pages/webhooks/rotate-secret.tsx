import { Checkbox } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { webhookKey } from '../../api/webhook-queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { Confirm } from '../../parts/confirm.js';

interface RotateSecretProps {
  webhookId: string;
  onClose: () => void;
  /** Takes the new secret. */
  onSecret: (secret: string) => void;
}

/** Asks how the secret is replaced. */
export function RotateSecret({ webhookId, onClose, onSecret }: RotateSecretProps) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [immediately, setImmediately] = useState(false);
  const rotate = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/api/guilds/{guildId}/webhooks/{webhookId}/rotate-secret', {
          params: { path: { guildId, webhookId }, query: { immediately: immediately ? 'true' : 'false' } },
        }),
      ),
    async onSuccess(made) {
      onSecret(made.secret);
      await queryClient.invalidateQueries({ queryKey: webhookKey(guildId, webhookId) });
    },
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title={t('webhook.rotate_title')}
      act={t('webhook.rotate')}
      gentle={!immediately}
      mutation={rotate}
    >
      <p>{t(immediately ? 'webhook.rotate_at_once' : 'webhook.rotate_words')}</p>
      <Checkbox
        checked={immediately}
        onChange={(event) => setImmediately(event.currentTarget.checked)}
        label={t('webhook.rotate_immediately')}
      />
    </Confirm>
  );
}
