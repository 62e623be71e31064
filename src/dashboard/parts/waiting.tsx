import { Title, VisuallyHidden } from '@mantine/core';
import { Fragment, useEffect, useSyncExternalStore } from 'react';
import type { WordKey } from '../i18n/words.js';
import { useWords } from '../i18n/words-provider.js';
import grid from './filters.module.css';
import css from './waiting.module.css';

/** A page's part as seen from afar; `waiting.module.css` draws each. */
type Outline =
  | 'area'
  | 'buttons'
  | 'card'
  | 'cards'
  | 'charts'
  | 'columns'
  | 'facts'
  | 'fields'
  | 'figures'
  | 'filters'
  | 'form'
  | 'lines'
  | 'list'
  | 'picture'
  | 'rows'
  | 'table'
  | 'title';

/** A page's parts from top to bottom: a heading in its words, or an outline with its item count. */
export type Shape = readonly (WordKey | readonly [Outline, number])[];

let shown = 0;
const listeners = new Set<() => void>();

function count(change: number): void {
  shown += change;
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Stands where data will be, in their shape. `LoadingWord` says it to screen readers. */
export function Waiting({ shape = [['lines', 4]] }: { shape?: Shape }) {
  const { t } = useWords();
  useEffect(() => {
    count(1);
    return () => count(-1);
  }, []);
  return (
    <div className={css.waiting} aria-hidden="true" data-waiting>
      {shape.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a shape may repeat a part
        <Fragment key={index}>
          {typeof part === 'string' ? (
            <Title order={2} className={css.heading}>
              {t(part)}
            </Title>
          ) : (
            <Items outline={part[0]} count={part[1]} />
          )}
        </Fragment>
      ))}
    </div>
  );
}

const Items = ({ outline, count }: { outline: Outline; count: number }) => (
  <div className={outline === 'filters' ? `${css.filters} ${grid.filters}` : css[outline]}>
    {Array.from({ length: count }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the items have nothing but their place
      <span key={index} className={css.item}>
        <i className={css.first} />
        <i className={css.second} />
      </span>
    ))}
  </div>
);

/** Says politely that something is loading, once for everything. */
export function LoadingWord() {
  const { t } = useWords();
  const isWaiting = useSyncExternalStore(listen, () => shown > 0);
  return <VisuallyHidden aria-live="polite">{isWaiting && t('state.loading')}</VisuallyHidden>;
}
