import type { Schemas } from '../../api/api-types.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { LinkButton } from '../../parts/link-button.js';
import { Strip } from '../../parts/strip.js';

/** Leads the admin of a server without role mappings to its set-up. Other teammates have their own steps below. */
export function SetupInvitation({ overview: { counts } }: { overview: Schemas['GuildOverview'] }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const reason = useReasonAgainst('admin');
  if (counts.mappings > 0 || reason !== undefined) return null;
  return (
    <Strip name={t('setup_page.begin')} words={t('setup_page.begin_why')}>
      <LinkButton to="/g/$guildId/setup" params={{ guildId }}>
        {t('setup_page.start')}
      </LinkButton>
    </Strip>
  );
}
