import type { Schemas } from '../../../client/api-types.js';
import { RoleChips } from '../../guild/role-names.js';
import { useWords } from '../../i18n/words-provider.js';
import { Waiting } from '../../parts/waiting.js';
import css from './people.module.css';

type Effects = Schemas['PeopleImportEffects'];

const effects = ['lose', 'kicked', 'gain', 'renamed'] as const;

/** An import's effects on members: in all, by role, and for a few by name. */
export function ImportEffects({ found }: { found: Effects }) {
  const { t, list } = useWords();
  const { state, reason, unknown, roles, people } = found;
  if (state === 'planning') {
    return (
      <div className={css.words}>
        <p>{t('people.planning')}</p>
        <Waiting shape={[['lines', 2]]} />
      </div>
    );
  }
  if (reason !== null) return <p className={css.words}>{t(`people.unknown_${reason}`)}</p>;
  const named = effects.flatMap((what) => ((found[what] ?? 0) > 0 ? [{ what, count: found[what] ?? 0 }] : []));
  const open = unknown ?? 0;
  if (named.length === 0 && open === 0) return <p className={css.words}>{t('people.no_effect')}</p>;
  return (
    <div className={css.words}>
      <ul className={css.effects}>
        {named.map(({ what, count }) => (
          <li key={what}>{t(`people.${what}`, { count })}</li>
        ))}
        {open > 0 && <li>{t('people.open', { count: open })}</li>}
      </ul>
      <RoleEffects roles={roles} />
      {people.length > 0 && <p>{t('people.for_example', { people: list(people.map(nameBoth)) })}</p>}
    </div>
  );
}

const nameBoth = ({ chatUsername, gameUsername }: Effects['people'][number]): string =>
  `@${chatUsername} → ${gameUsername ?? '–'}`;

function RoleEffects({ roles }: { roles: Effects['roles'] }) {
  const { number } = useWords();
  if (roles.length === 0) return null;
  return (
    <ul className={css.effects}>
      {roles.map(({ roleId, gain, lose }) => (
        <li key={roleId}>
          {gain > 0 && (
            <>
              {number(gain)} × <RoleChips ids={[roleId]} as="given" />{' '}
            </>
          )}
          {lose > 0 && (
            <>
              {number(lose)} × <RoleChips ids={[roleId]} as="taken" />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
