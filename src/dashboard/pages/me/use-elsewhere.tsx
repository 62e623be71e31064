import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { useWords } from '../../i18n/words-provider.js';
import { Confirm } from '../../parts/confirm.js';
import { TickBox } from '../../parts/tick-box.js';
import css from './me.module.css';
import { consentsKey } from './use-renewal.js';

/** Chooses the servers that use an account from now on. The chosen ones are those that change. */
export function UseElsewhere({
  open,
  onClose,
  own: { account, servers },
  onSuccess,
}: {
  open: boolean;
  onClose: () => void;
  own: Pick<Schemas['OwnAccount'], 'account' | 'servers'>;
  onSuccess: () => Promise<unknown>;
}) {
  const { t } = useWords();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const consents = useQuery({
    queryKey: consentsKey,
    queryFn: async () => (await answerOf(api.GET('/api/auth/me/consents', {}))).data,
  });
  const using = new Set(servers.map(({ guildId }) => guildId));
  const others = (consents.data ?? []).filter(({ guildId }) => !using.has(guildId));
  const use = useMutation({
    meta: { toast: 'toast.saved' },
    mutationFn: () => {
      const params = { path: { gameUserId: account.gameUserId } };
      return answerOf(api.PUT('/api/auth/me/accounts/{gameUserId}', { params, body: { guildIds: [...chosen] } }));
    },
    onSuccess,
  });
  const close = () => {
    setChosen([]);
    onClose();
  };
  const toggle = (guildId: string) =>
    setChosen((before) => (before.includes(guildId) ? before.filter((id) => id !== guildId) : [...before, guildId]));
  return (
    <Confirm
      open={open}
      onClose={close}
      title={t('me.use_title', { account: account.gameUsername })}
      act={t('me.use')}
      gentle
      disabled={chosen.length === 0}
      mutation={use}
    >
      <p>{others.length === 0 ? t('me.use_nowhere_left') : t('me.use_words')}</p>
      <ul className={css.servers}>
        {others.map(({ guildId, name }) => (
          <li key={guildId}>
            <TickBox id={`use-${guildId}`} checked={chosen.includes(guildId)} onChange={() => toggle(guildId)} />
            <label htmlFor={`use-${guildId}`}>{name}</label>
          </li>
        ))}
      </ul>
    </Confirm>
  );
}
