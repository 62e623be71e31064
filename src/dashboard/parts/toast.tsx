import { useEffect, useSyncExternalStore } from 'react';
import type { WordKey } from '../i18n/words.js';
import { useWords } from '../i18n/words-provider.js';
import css from './toast.module.css';

export interface Toast {
  message: WordKey;
  values?: Readonly<Record<string, string | number>>;
  /** Reverts the action; absent if that is impossible. It reports its own result. */
  undo?: () => unknown;
}

type Shown = Toast & { id: number };

/** Time to read a sentence twice, and longer with a button. */
const shownMs = { plain: 6_000, undo: 15_000 } as const;
const mostShown = 3;

let shown: readonly Shown[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Shown[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

const drop = (id: number): void => change(shown.filter((toast) => toast.id !== id));

/** Confirms an action in the corner of the screen, with a way back if there is one. */
export function showToast(toast: Toast): void {
  lastId += 1;
  change([...shown, { ...toast, id: lastId }].slice(-mostShown));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The last message, in the corner of the screen; read aloud as it appears. */
export function Toasts() {
  const toasts = useSyncExternalStore(subscribe, () => shown);
  return (
    <div role="status" className={css.toasts}>
      {toasts.map((toast) => (
        <OneToast key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function OneToast({ toast: { id, message, values, undo } }: { toast: Shown }) {
  const { t } = useWords();
  useEffect(() => {
    const timer = setTimeout(() => drop(id), undo === undefined ? shownMs.plain : shownMs.undo);
    return () => clearTimeout(timer);
  }, [id, undo]);
  const back = () => {
    drop(id);
    undo?.();
  };
  return (
    <div className={css.toast}>
      <span className={css.words}>{t(message, values)}</span>
      {undo !== undefined && (
        <button type="button" className={css.undo} onClick={back}>
          {t('toast.undo')}
        </button>
      )}
      <button type="button" className={css.close} aria-label={t('action.close')} onClick={() => drop(id)}>
        <span aria-hidden="true">×</span>
      </button>
    </div>
  );
}
