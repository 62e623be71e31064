import { Alert, Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { faultId, wordsOf } from '../api/refusal.js';
import { useWords } from '../i18n/words-provider.js';
import css from './states.module.css';
import { type Shape, Waiting } from './waiting.js';

/** Tries again as soon as the network returns. */
function useRetryOnline(retry: (() => unknown) | undefined): void {
  const latest = useRef(retry);
  useEffect(() => {
    latest.current = retry;
  });
  useEffect(() => {
    const again = () => void latest.current?.();
    addEventListener('online', again);
    return () => removeEventListener('online', again);
  }, []);
}

/** Renders an error in words, in place, with the failed request's id. Nothing without an error. */
export function Failed(props: { error: unknown; title?: string; onRetry?: () => unknown }) {
  const { error, title, onRetry } = props;
  const words = useWords();
  const hasError = error !== null && error !== undefined;
  useRetryOnline(hasError ? onRetry : undefined);
  if (!hasError) return null;
  const id = faultId(error);
  return (
    <Alert color="red" role="alert" title={title} className={css.failed}>
      <p>{wordsOf(error, words)}</p>
      {id !== undefined && <p className={css.fault}>{words.t('state.request', { id })}</p>}
      {onRetry !== undefined && (
        <Button size="xs" variant="default" onClick={() => onRetry()}>
          {words.t('state.retry')}
        </Button>
      )}
    </Alert>
  );
}

/** An empty state: the reason, and the next step. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className={css.empty}>
      <p className={css.emptyTitle}>{title}</p>
      {children !== undefined && <p className={css.emptyText}>{children}</p>}
      {action}
    </div>
  );
}

/** Renders a query's data, their outline while they load, or its error. Old data stay during a reload. */
export function Answered<T>(props: { query: UseQueryResult<T>; shape?: Shape; children: (data: T) => ReactNode }) {
  const { query, shape, children } = props;
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <Failed error={query.error} onRetry={query.refetch} />;
  return <Waiting {...(shape !== undefined && { shape })} />;
}
