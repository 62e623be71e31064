import type { Schemas } from '../../../client/api-types.js';
import { conditionWords } from '../../guild/condition-words.js';
import { RoleChips } from '../../guild/role-names.js';
import { useGroups } from '../../guild/use-groups.js';
import { useWords } from '../../i18n/words-provider.js';
import css from './mapping-import.module.css';

type MappingImport = Schemas['MappingImport'];

/** An import's effect: new mappings as sentences, then each line that gives none, and why. */
export function ImportOutcome({ proposed }: { proposed: MappingImport }) {
  const words = useWords();
  const { t } = words;
  const { created, skipped, refused, notes, limits, addedGroups, newGroups, rolesAbove } = proposed;
  const groups = new Map([...useGroups(), ...newGroups.map((group) => [group.groupId, group] as const)]);
  const count = created.length;
  return (
    <>
      <p className={css.words}>
        <strong>
          {addedGroups.length === 0
            ? t('mapping_import.would_alone', { count })
            : t('mapping_import.would', { count, groups: addedGroups.length })}
        </strong>{' '}
        {skipped.length > 0 && t('mapping_import.skipped', { count: skipped.length })}
      </p>
      {rolesAbove.length > 0 && (
        <p className={css.words}>
          {t('mapping_import.roles_above')} <RoleChips ids={rolesAbove} as="given" />
        </p>
      )}
      {!limits.fits && <p className={css.bad}>{t('mapping_import.no_room', limits.mappings)}</p>}
      <ul className={css.lines}>
        {created.map(({ line, mapping: { condition, roleIds } }) => (
          <li key={line}>
            {conditionWords(condition, groups, words)} <RoleChips ids={roleIds} as="given" />
          </li>
        ))}
      </ul>
      <Remarks title={t('mapping_import.refused', { count: refused.length })} remarks={refused} />
      <Remarks title={t('mapping_import.notes', { count: notes.length })} remarks={notes} />
    </>
  );
}

function Remarks({ title, remarks }: { title: string; remarks: MappingImport['refused'] }) {
  const { t, list } = useWords();
  if (remarks.length === 0) return null;
  const messages = [...new Set(remarks.map(({ message }) => message))];
  const linesOf = (wanted: string) => remarks.filter(({ message }) => message === wanted).map(({ line }) => line);
  return (
    <>
      <p className={css.words}>{title}</p>
      <ul className={css.lines}>
        {messages.map((message) => (
          <li key={message}>
            {t('mapping_import.lines', {
              count: linesOf(message).length,
              lines: list(linesOf(message).map(String)),
              message,
            })}
          </li>
        ))}
      </ul>
    </>
  );
}
