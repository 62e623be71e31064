import { useSyncExternalStore } from 'react';
import { useWords } from '../i18n/words-provider.js';
import css from './states.module.css';

function watch(changed: () => void): () => void {
  addEventListener('online', changed);
  addEventListener('offline', changed);
  return () => {
    removeEventListener('online', changed);
    removeEventListener('offline', changed);
  };
}

/** Says that the page may be old while the browser has no network. */
export function Offline() {
  const { t } = useWords();
  const isOnline = useSyncExternalStore(watch, () => navigator.onLine);
  return <div role="status">{!isOnline && <p className={css.offline}>{t('state.offline')}</p>}</div>;
}
