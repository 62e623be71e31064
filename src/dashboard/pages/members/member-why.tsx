import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { conditionWords } from '../../guild/condition-words.js';
import { useGuild } from '../../guild/guild-context.js';
import { RoleChips } from '../../guild/role-names.js';
import { useGroups } from '../../guild/use-groups.js';
import { useWords } from '../../i18n/words-provider.js';
import { useNow } from '../../parts/now.js';
import { Answered } from '../../parts/states.js';
import css from './members.module.css';

type Why = Schemas['MemberWhy'];
type WhyMapping = Why['mappings'][number];
type Verdict = WhyMapping['verdict'];

const marks: Readonly<Record<Verdict, string>> = { matched: '✓', unmatched: '–', undecided: '?' };

/** For each mapping whether it gives its roles to this person, with the ranks behind it. */
export function MemberWhy({ memberId }: { memberId: string }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const why = useQuery({
    queryKey: [...guildKey(guildId), 'why', memberId],
    queryFn: () =>
      answerOf(api.GET('/api/guilds/{guildId}/members/{memberId}/why', { params: { path: { guildId, memberId } } })),
  });
  return (
    <section aria-label={t('why.title')}>
      <h3 className={css.heading}>{t('why.title')}</h3>
      <Answered query={why} shape={[['list', 4]]}>
        {(data) => <WhyList why={data} />}
      </Answered>
    </section>
  );
}

function WhyList({ why }: { why: Why }) {
  const words = useWords();
  const { t } = words;
  const now = useNow();
  const rest = why.mappings.filter((mapping) => !isTelling(mapping));
  return (
    <>
      {why.doubt !== null && <p className={css.note}>{t(`why.doubt_${why.doubt}`)}</p>}
      {why.highestRoleOnly && <p className={css.note}>{t('why.highest_only')}</p>}
      {why.restriction !== null && (
        <p className={css.note}>
          {t(why.restrictionSpares ? 'why.spared' : 'why.restricted', { why: t(`restriction.${why.restriction}`) })}
        </p>
      )}
      {why.keeps.roles && <p className={css.note}>{t('why.keeps_roles')}</p>}
      <ul className={css.ranks}>
        {why.groups.map(({ groupId, name, roles }) => (
          <li key={groupId}>
            {name ?? groupId}:{' '}
            {roles === null
              ? t('why.rank_unknown')
              : roles.length === 0
                ? t('why.not_member')
                : words.list(roles.map((role) => `${role.name} (${role.rank})`))}
          </li>
        ))}
      </ul>
      <NextRanks next={why.next} />
      {why.ranksReadAt !== null && (
        <p className={css.note}>{t('why.read', { ago: words.ago(why.ranksReadAt, now) })}</p>
      )}
      {why.mappings.length === 0 && <p className={css.note}>{t('why.no_mappings')}</p>}
      <Verdicts mappings={why.mappings.filter(isTelling)} />
      {rest.length > 0 && (
        <details className={css.rest}>
          <summary>{t('why.unmatched_count', { count: rest.length })}</summary>
          <Verdicts mappings={rest} />
        </details>
      )}
    </>
  );
}

/** In each group, the rank with which the person would get further roles. */
function NextRanks({ next }: Pick<Why, 'next'>) {
  const { t } = useWords();
  if (next.length === 0) return null;
  return (
    <ul className={css.ranks}>
      {next.map(({ groupId, groupName, rank, name, roleIds }) => (
        <li key={groupId}>
          {t('why.next_rank', { group: groupName, rank: `${name ?? groupName} (${rank})` })} <RoleChips ids={roleIds} />
        </li>
      ))}
    </ul>
  );
}

/** Whether a mapping gives, would give or would take something here, or can't be decided. */
const isTelling = ({ verdict, roles }: WhyMapping): boolean =>
  verdict !== 'unmatched' || roles.some(({ change }) => change !== null);

function Verdicts({ mappings }: { mappings: readonly WhyMapping[] }) {
  const words = useWords();
  const { t } = words;
  const groups = useGroups();
  return (
    <ul className={css.verdicts}>
      {mappings.map(({ mappingId, name, condition, verdict, paused, roles }) => (
        <li key={mappingId}>
          <span className={`${css.verdict} ${css[verdict]}`} aria-hidden="true">
            {marks[verdict]}
          </span>
          <span>
            <RoleChips ids={roles.map(({ roleId }) => roleId)} /> {name !== null && <strong>{name}: </strong>}
            {t('mapping.who', { condition: conditionWords(condition, groups, words) })}
            <span className={css.verdictWords}>
              {t(paused === null ? `why.${verdict}` : 'why.paused')}
              {roles.some(({ change }) => change === 'add') && ` ${t('why.will_add')}`}
              {roles.some(({ change }) => change === 'remove') && ` ${t('why.will_remove')}`}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}
