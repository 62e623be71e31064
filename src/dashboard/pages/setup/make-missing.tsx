import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { rolesQuery, setupQuery } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { Failed } from '../../parts/states.js';
import css from './setup.module.css';
import type { Setup } from './setup-queries.js';

/** Makes exactly the roles that are shown as missing. */
export function MakeMissing({ missing: { count, key }, isNext }: { missing: Setup['missing']; isNext: boolean }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const make = useMutation({
    meta: { toast: 'toast.roles_made' },
    mutationFn: () =>
      answerOf(api.POST('/api/guilds/{guildId}/setup/roles', { params: { path: { guildId } }, body: { key } })),
    async onSuccess({ setup }) {
      queryClient.setQueryData(setupQuery(guildId).queryKey, setup);
      await queryClient.invalidateQueries({ queryKey: rolesQuery(guildId).queryKey });
    },
    onError: () => queryClient.invalidateQueries({ queryKey: setupQuery(guildId).queryKey }),
  });
  const left = make.data?.left ?? 0;
  return (
    <>
      <Failed error={make.error} />
      {left > 0 && <p role="status">{t('setup_page.left', { count: left })}</p>}
      {count > 0 && (
        <div className={css.make}>
          <Button variant={isNext ? 'filled' : 'default'} loading={make.isPending} onClick={() => make.mutate()}>
            {t('setup_page.make', { count })}
          </Button>
          <span className={css.quiet}>{t('setup_page.make_how')}</span>
        </div>
      )}
    </>
  );
}
