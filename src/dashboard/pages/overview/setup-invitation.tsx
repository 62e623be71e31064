import type { Schemas } from '../../api/api-types.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { LinkButton } from '../../parts/link-button.js';
import css from './overview.module.css';

/** Leads the admin of a server without role mappings to its set-up. Other teammates have their own steps below. */
export function SetupInvitation({ overview: { counts } }: { overview: Schemas['GuildOverview'] }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const reason = useReasonAgainst('admin');
  if (counts.mappings > 0 || reason !== undefined) return null;
  return (
    <section className={css.strip} aria-label={t('setup_page.begin')}>
      <span className={css.stripWords}>
        <strong>{t('setup_page.begin')}</strong> {t('setup_page.begin_why')}
      </span>
      <LinkButton to="/g/$guildId/setup" params={{ guildId }}>
        {t('setup_page.start')}
      </LinkButton>
    </section>
  );
}
