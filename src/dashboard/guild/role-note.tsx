import { useWords } from '../i18n/words-provider.js';
import { useReasonAgainst } from './guild-context.js';
import css from './role-note.module.css';

/** Names the team role that may change a page, for people below it. */
export function RoleNote({ least }: { least: 'manager' | 'admin' }) {
  const { t } = useWords();
  return useReasonAgainst(least) !== undefined && <p className={css.note}>{t(`role.page_${least}`)}</p>;
}
