import { Alert, Button } from '@mantine/core';
import { RoleChips } from '../../guild/role-names.js';
import { useWords } from '../../i18n/words-provider.js';
import css from './setup.module.css';
import type { Setup } from './setup-queries.js';

/** The obstacles to giving roles in this server, read from Discord again at each press. */
export function PlaceProblems(props: { place: Setup['place']; onAgain: () => unknown; isReading: boolean }) {
  const { place, onAgain, isReading } = props;
  const { mayManageRoles, mayManageNicknames, rolesAbove } = place;
  const { t } = useWords();
  if (mayManageRoles && mayManageNicknames && rolesAbove.length === 0) return null;
  return (
    <Alert color="yellow" title={t('setup_page.place')} className={css.place ?? ''}>
      <div className={css.problems}>
        {!mayManageRoles && <p>{t('setup_page.no_manage_roles')}</p>}
        {!mayManageNicknames && <p>{t('setup_page.no_manage_nicknames')}</p>}
        {rolesAbove.length > 0 && (
          <p>
            {t('setup_page.roles_above', { count: rolesAbove.length })} <RoleChips ids={rolesAbove} />
          </p>
        )}
        <p>{t('setup_page.place_how')}</p>
        <Button size="xs" variant="default" loading={isReading} onClick={() => onAgain()}>
          {t('setup_page.check_again')}
        </Button>
      </div>
    </Alert>
  );
}
