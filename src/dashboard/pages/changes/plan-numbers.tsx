import { Alert } from '@mantine/core';
import type { Schemas } from '../../../client/api-types.js';
import { useWords } from '../../i18n/words-provider.js';
import { Waiting } from '../../parts/waiting.js';

interface PlanNumbersProps {
  summary: Schemas['Preview']['summary'];
  /** Whether an earlier plan was refused, and this one replaces it. */
  isNew: boolean;
  reading: 'idle' | 'pending' | 'error' | 'success';
}

/** Numbers in the plan that *Go live* applies. */
export function PlanNumbers({ summary, isNew, reading }: PlanNumbersProps) {
  const { t } = useWords();
  const { changed, adding, removing, renamed, kicking, wouldStopAtBrake } = summary;
  return (
    <>
      {isNew && (
        <Alert color="yellow" role="alert" mb="md" title={t('differences.outdated')}>
          {t('differences.outdated_why')}
        </Alert>
      )}
      {reading === 'pending' && <Waiting shape={[['lines', 2]]} />}
      {reading === 'success' && (
        <>
          <p>{t('preview.summary', { changed, adding, removing, renamed })}</p>
          {kicking > 0 && <p>{t('preview.kicking', { count: kicking })}</p>}
          {wouldStopAtBrake && <p>{t('preview.brake_why')}</p>}
        </>
      )}
      <p>{t('differences.go_live_words')}</p>
    </>
  );
}
