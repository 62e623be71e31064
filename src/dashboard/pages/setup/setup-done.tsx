import { Alert } from '@mantine/core';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { LinkButton } from '../../parts/link-button.js';
import { Page } from '../../parts/page.js';
import css from './setup.module.css';

/** The result of applying: the mode, and whether the panel was posted. */
export interface Applied {
  mode: 'enforce' | 'observe';
  panel: 'posted' | 'none' | 'refused';
}

/** The set-up is in force: the present work, and the next steps. */
export function SetupDone({ applied: { mode, panel } }: { applied: Applied }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  return (
    <Page title={t('setup_page.done')} lead={t(`setup_page.done_${mode}`)}>
      {panel === 'refused' ? (
        <Alert color="yellow">{t('setup_page.panel_refused')}</Alert>
      ) : (
        <p>{t(`setup_page.panel_${panel}`)}</p>
      )}
      <div className={css.make}>
        <LinkButton
          to="/g/$guildId/changes"
          params={{ guildId }}
          search={{ tab: mode === 'enforce' ? 'made' : 'compare' }}
        >
          {t(mode === 'enforce' ? 'setup_page.to_resync' : 'setup_page.to_differences')}
        </LinkButton>
        <LinkButton to="/g/$guildId" params={{ guildId }} variant="default">
          {t('nav.overview')}
        </LinkButton>
      </div>
    </Page>
  );
}
