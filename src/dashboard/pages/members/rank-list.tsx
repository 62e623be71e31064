import { Button, Group as Row } from '@mantine/core';
import type { RankEffects } from '../../api/ranking-queries.js';
import { wordsOf } from '../../api/refusal.js';
import { useGuild } from '../../guild/guild-context.js';
import { RoleChips } from '../../guild/role-names.js';
import { usePartWords } from '../../guild/use-part-words.js';
import { useWords } from '../../i18n/words-provider.js';
import { TextLink } from '../../parts/link-button.js';
import { Waiting } from '../../parts/waiting.js';
import type { RankLine, RankOutcome } from './change-ranks.js';
import css from './members.module.css';

const namesOf = (roles: RankEffects['before']): string => roles.map(({ name }) => name).join(', ');

/** Each person's ranks before and after, with the roles on Discord. */
export function RankList({ lines, isRead }: { lines: readonly RankLine[]; isRead: boolean }) {
  const { t } = useWords();
  const { mode } = useGuild();
  if (!isRead) return <Waiting shape={[['lines', lines.length]]} />;
  return (
    <>
      <ul className={css.rankList} aria-label={t('ranks.many_list')}>
        {lines.map((line) => (
          <Line key={line.memberId} line={line} />
        ))}
      </ul>
      {mode === 'observe' && <p className={css.note}>{t('ranks.observing')}</p>}
    </>
  );
}

function Line({ line: { name, effects, error } }: { line: RankLine }) {
  const words = useWords();
  const { t } = words;
  return (
    <li>
      <span>
        <strong>{name}</strong>{' '}
        {effects !== undefined && t('ranks.from_to', { from: namesOf(effects.before), to: namesOf(effects.after) })}
      </span>
      <span className={css.quiet}>
        {effects === undefined ? (
          t('ranks.left_out', { why: wordsOf(error, words) })
        ) : (
          <OnDiscord effects={effects.discord} />
        )}
      </span>
    </li>
  );
}

function OnDiscord({ effects }: { effects: RankEffects['discord'] }) {
  const { t } = useWords();
  if (effects === null) return null;
  const { added, removed, nickname } = effects;
  if (added.length + removed.length === 0 && nickname === null) return t('ranks.no_effect');
  return (
    <>
      {t('ranks.effect')} <RoleChips ids={added} as="given" /> <RoleChips ids={removed} as="taken" />
      {nickname !== null && ` ${t('members.renamed', { nickname })}`}
    </>
  );
}

/** Each person's result, and the way to their undo. */
export function RankResults(props: { results: readonly RankOutcome[]; groupId: string; onClose: () => void }) {
  const { results, groupId, onClose } = props;
  const { t } = useWords();
  const { guildId } = useGuild();
  return (
    <div className={css.rankForm}>
      <div role="status">
        <ul className={css.rankList} aria-label={t('ranks.many_results')}>
          {results.map((result) => (
            <li key={result.memberId}>
              <strong>{result.name}</strong>
              <Outcome result={result} />
            </li>
          ))}
        </ul>
      </div>
      <Row justify="space-between">
        <TextLink to="/g/$guildId/groups/$groupId/ranks" params={{ guildId, groupId }} onClick={onClose}>
          {t('ranks.many_undo')}
        </TextLink>
        <Button onClick={onClose}>{t('action.close')}</Button>
      </Row>
    </div>
  );
}

function Outcome({ result: { change, refusal } }: { result: RankOutcome }) {
  const { t } = useWords();
  const partWords = usePartWords();
  if (change === null) return <span className={css.refused}>{partWords(refusal)}</span>;
  const { state, before, after } = change;
  return (
    <span>
      {t(`ranks.${state}`)}: {t('ranks.from_to', { from: namesOf(before), to: namesOf(after) })}
    </span>
  );
}
