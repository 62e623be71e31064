import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { PreviewWarning } from '../../guild/preview-warning.js';
import { useWords } from '../../i18n/words-provider.js';
import { Answered } from '../../parts/states.js';
import type { Draft } from './mapping-draft.js';
import css from './mappings.module.css';

/** Delay after the draft's last change. */
const restMs = 600;
const shownNames = 5;

/** The changes that the draft would make among the other mappings, requested again after each pause in editing. */
export function WhatWouldChange({ draft, mappingId }: { draft: Draft | undefined; mappingId: string | undefined }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const [rested] = useDebouncedValue(draft, restMs);
  const preview = useQuery({
    queryKey: [...guildKey(guildId), 'what-if', mappingId, rested],
    enabled: rested !== undefined,
    placeholderData: keepPreviousData,
    queryFn: () => {
      const body = rested === undefined ? {} : { change: { ...(mappingId && { mappingId }), mapping: rested } };
      return answerOf(api.POST('/api/guilds/{guildId}/sync/preview', { params: { path: { guildId } }, body }));
    },
  });
  const isOld = preview.isPlaceholderData || rested !== draft;
  return (
    <section className={css.whatIf} aria-label={t('what_if.title')} aria-live="polite" aria-busy={isOld}>
      <h2>{t('what_if.title')}</h2>
      {draft === undefined || rested === undefined ? (
        <p className={css.quiet}>{t('what_if.incomplete')}</p>
      ) : (
        <Answered query={preview}>
          {(data) => (
            <div className={isOld ? css.old : ''}>
              <Outcome preview={data} roleIds={rested.roleIds} />
              <p className={css.quiet}>{t(isOld ? 'what_if.reading' : 'what_if.note')}</p>
            </div>
          )}
        </Answered>
      )}
    </section>
  );
}

/** The changes to the draft's roles; for a whole group all roles count. */
function Outcome({ preview, roleIds }: { preview: Schemas['Preview']; roleIds: readonly string[] }) {
  const { t, list } = useWords();
  const isOurs = (id: string): boolean => roleIds.length === 0 || roleIds.includes(id);
  const { members, summary, warnings } = preview;
  const gaining = members.filter(({ add }) => add.some(isOurs));
  const losing = members.filter(({ remove }) => remove.some(isOurs));
  const blocked = members.filter((member) => member.blocked.some(({ roleId }) => isOurs(roleId)));
  const names = (some: typeof members): string => {
    const left = some.length - shownNames;
    const first = some.slice(0, shownNames).map(({ chatUsername }) => chatUsername);
    return list(left > 0 ? [...first, t('what_if.more', { count: left })] : first);
  };
  const rows = [
    { name: 'gain', people: gaining },
    { name: 'lose', people: losing },
    { name: 'blocked', people: blocked },
  ] as const;
  const told = rows.filter(({ people }) => people.length > 0);
  return (
    <>
      {told.length === 0 && <p>{t('what_if.nothing')}</p>}
      <ul className={css.outcomes}>
        {told.map(({ name, people }) => (
          <li key={name}>
            <strong>{t(`what_if.${name}`, { count: people.length })}</strong>
            <span className={css.quiet}>{names(people)}</span>
          </li>
        ))}
      </ul>
      {summary.unknown > 0 && <p className={css.quiet}>{t('what_if.unknown', { count: summary.unknown })}</p>}
      {preview.nextCursor !== null && <p className={css.quiet}>{t('what_if.part', { count: summary.checked })}</p>}
      {warnings.map((warning) => (
        <PreviewWarning key={`${warning.code} ${warning.detail}`} warning={warning} className={css.bad} />
      ))}
    </>
  );
}
