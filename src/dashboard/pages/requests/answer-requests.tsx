import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { JoinRequest } from '../../api/ranking-queries.js';
import { usePartWords } from '../../guild/use-part-words.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Confirm } from '../../parts/confirm.js';
import { type Decision, decisions, mostAnswers, type RequestAnswer, useAnswerRequests } from './request-answers.js';
import css from './requests.module.css';

/** The acts for the selected requests, each after a question. */
export function AnswerRequests(props: {
  groupId: string;
  requests: readonly JoinRequest[];
  onAnswers: (answers: readonly RequestAnswer[]) => void;
  onClear: () => void;
}) {
  const { groupId, requests, onAnswers, onClear } = props;
  const { t, list } = useWords();
  const [decision, setDecision] = useState<Decision>('accept');
  const [isAsking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  const answer = useAnswerRequests({ groupId, decision, requests, reason: reason.trim() }, (answers) => {
    onAnswers(answers);
    onClear();
  });
  const many = requests.length > mostAnswers ? t('requests.most', { count: mostAnswers }) : undefined;
  const ask = (chosen: Decision) => {
    setDecision(chosen);
    setAsking(true);
  };
  return (
    <div className={css.selected}>
      <span role="status">{t('members.selected', { count: requests.length })}</span>
      {decisions.map((each) => (
        <ActButton
          key={each}
          size="xs"
          variant={each === 'accept' ? 'filled' : 'default'}
          reason={many}
          onClick={() => ask(each)}
        >
          {t(`requests.${each}`)}
        </ActButton>
      ))}
      <Button size="xs" variant="subtle" onClick={onClear}>
        {t('members.clear')}
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t(`requests.${decision}_title`, { count: requests.length })}
        act={t(`requests.${decision}`)}
        gentle={decision === 'accept'}
        mutation={answer}
      >
        <p>{list(requests.map(({ gameUsername }) => gameUsername))}</p>
        <p className={css.note}>{t(`requests.${decision}_words`)}</p>
        <TextInput
          label={t('ranks.reason')}
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </Confirm>
    </div>
  );
}

/** The results of the last answers, one line a person. */
export function AnswersList({ answers }: { answers: readonly RequestAnswer[] }) {
  const { t } = useWords();
  const partWords = usePartWords();
  return (
    <div role="status">
      {answers.length > 0 && (
        <ul className={css.answers} aria-label={t('ranks.many_results')}>
          {answers.map(({ gameUserId, name, result, problem }) => (
            <li key={gameUserId}>
              <strong>{name}</strong>{' '}
              <span className={result === 'refused' ? css.refused : css.note}>
                {result === 'refused' ? partWords(problem) : t(`requests.${result}`)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
