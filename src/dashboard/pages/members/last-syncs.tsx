import type { Schemas } from '../../../client/api-types.js';
import { RoleChips } from '../../guild/role-names.js';
import { useWords } from '../../i18n/words-provider.js';
import css from './members.module.css';

/** A person's last ten syncs, newest first. */
export function LastSyncs({ syncs }: { syncs: readonly Schemas['SyncRecord'][] }) {
  const words = useWords();
  const { t } = words;
  return (
    <section aria-label={t('members.syncs')}>
      <h3 className={css.heading}>{t('members.syncs')}</h3>
      {syncs.length === 0 && <p className={css.note}>{t('members.never')}</p>}
      <ol className={css.syncs}>
        {syncs.map(({ at, trigger, added, removed, nickname, error }) => (
          <li key={at}>
            <time dateTime={at}>{words.time(at)}</time> <span className={css.quiet}>{t(`trigger.${trigger}`)}</span>
            <div>
              {error !== undefined && (
                <span className={css.failed}>
                  {t('members.sync_failed')} {words.refusal(error, {}) ?? error}
                </span>
              )}
              {error === undefined && added.length + removed.length === 0 && nickname == null && t('members.in_step')}
              <RoleChips ids={added} as="given" /> <RoleChips ids={removed} as="taken" />
              {nickname != null && ` ${t('members.renamed', { nickname })}`}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
