import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { useWords } from '../../i18n/words-provider.js';
import { Section } from '../../parts/page.js';
import { Failed } from '../../parts/states.js';
import css from './servers.module.css';

/** Servers that the person manages on Discord and that lack the bot. */
export function ServersWithoutBot() {
  const { t } = useWords();
  const servers = useQuery({
    queryKey: ['servers-without-bot'],
    queryFn: () => answerOf(api.GET('/api/auth/me/servers', {})),
  });
  if (servers.isError) return <Failed error={servers.error} onRetry={servers.refetch} />;
  if (servers.data?.known === false) {
    return (
      <Button component="a" href="/api/auth/login?returnTo=/g" variant="default">
        {t('servers.look')}
      </Button>
    );
  }
  if (servers.data === undefined || servers.data.data.length === 0) return null;
  return (
    <Section title={t('servers.without')} plain>
      <ul className={css.list}>
        {servers.data.data.map(({ guildId, name, inviteUrl }) => (
          <li key={guildId} className={css.absent}>
            <span className={css.words}>{name}</span>
            {inviteUrl !== null && (
              <Button
                component="a"
                href={inviteUrl}
                size="xs"
                variant="default"
                aria-label={t('servers.add_here', { name })}
              >
                {t('servers.add')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
