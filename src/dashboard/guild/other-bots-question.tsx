import { Alert, Group } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useWords } from '../i18n/words-provider.js';
import { ActButton } from '../parts/act-button.js';
import { Failed } from '../parts/states.js';
import { useReasonAgainst } from './guild-context.js';
import { useObserve } from './use-observe.js';

interface OtherBotsQuestionProps {
  otherBots: readonly { name: string }[];
  observing: boolean;
  /** The button that imports, and its question about nicknames. */
  children: ReactNode;
}

/** Beside another bot that may give roles, asks whether to observe first, before the import itself is offered. */
export function OtherBotsQuestion({ otherBots, observing, children }: OtherBotsQuestionProps) {
  const { t } = useWords();
  const [isApplied, setApplied] = useState(false);
  const observe = useObserve();
  if (observing || observe.isSuccess) {
    return (
      <>
        <p>{t('people.observing')}</p>
        {children}
      </>
    );
  }
  if (otherBots.length === 0 || isApplied) return children;
  return (
    <ObserveOrApply
      otherBots={otherBots}
      observing={observe.isPending}
      onObserve={() => observe.mutate()}
      onApply={() => setApplied(true)}
    >
      <Failed error={observe.error} />
    </ObserveOrApply>
  );
}

interface ObserveOrApplyProps {
  otherBots: readonly { name: string }[];
  observing?: boolean;
  onObserve: () => void;
  onApply: () => void;
  children?: ReactNode;
}

/** The question itself: *Observe first* or *Apply now*. `observing`: the first is being done. */
export function ObserveOrApply({ otherBots, observing = false, onObserve, onApply, children }: ObserveOrApplyProps) {
  const { t, list } = useWords();
  const reason = useReasonAgainst('admin');
  return (
    <Alert color="yellow" my="md">
      <p>{t('people.other_bots', { bots: list(otherBots.map(({ name }) => name)) })}</p>
      <Group gap="xs">
        <ActButton reason={reason} loading={observing} onClick={onObserve}>
          {t('people.observe_first')}
        </ActButton>
        <ActButton variant="default" onClick={onApply}>
          {t('people.apply_now')}
        </ActButton>
      </Group>
      {children}
    </Alert>
  );
}
