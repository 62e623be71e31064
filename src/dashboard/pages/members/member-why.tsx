import { Avatar } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { conditionWords, wordsUnderGroup } from '../../guild/condition-words.js';
import { useGuild } from '../../guild/guild-context.js';
import { RoleChips } from '../../guild/role-names.js';
import { useGroups } from '../../guild/use-groups.js';
import { useWords } from '../../i18n/words-provider.js';
import { CopyButton } from '../../parts/copy-button.js';
import { useNow } from '../../parts/now.js';
import { Answered } from '../../parts/states.js';
import css from './members.module.css';

type Why = Schemas['MemberWhy'];
type WhyMapping = Why['mappings'][number];

/** The way to each role as a picture: the person's rank in a group, the rule, the role. */
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
      <div className={css.whyHead}>
        <h3 className={css.heading}>{t('why.title')}</h3>
        <CopyButton text={location.href} what={t('why.title')} label={t('members.copy_link')} />
      </div>
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
  const telling = why.mappings.filter(isTelling);
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
      {why.keeps.roles && (
        <p className={css.note}>{t(why.leftOutSince === null ? 'why.keeps_roles' : 'why.left_out')}</p>
      )}
      {why.mappings.length === 0 && <p className={css.note}>{t('why.no_mappings')}</p>}
      {why.groups.map((group) => (
        <OfGroup key={group.groupId} group={group} why={why} />
      ))}
      {why.latestRankChange !== null && <RankChanged change={why.latestRankChange} now={now} />}
      <Paths whole mappings={telling.filter(({ condition }) => !isOfGroup(why, condition))} />
      {why.ranksReadAt !== null && (
        <p className={css.note}>{t('why.read', { ago: words.ago(why.ranksReadAt, now) })}</p>
      )}
      {rest.length > 0 && (
        <details className={css.rest}>
          <summary>{t('why.unmatched_count', { count: rest.length })}</summary>
          <Paths whole mappings={rest} />
        </details>
      )}
    </>
  );
}

/** The latest change of their rank by Rolelink, and its author. */
function RankChanged({ change, now }: { change: NonNullable<Why['latestRankChange']>; now: number }) {
  const words = useWords();
  const [from, to] = [change.before, change.after].map((roles) => words.list(roles.map(({ name }) => name)));
  const author = change.actor.name;
  return (
    <p className={css.note}>
      {words.t('why.rank_changed', { when: words.ago(change.at, now), author, from: from ?? '', to: to ?? '' })}
    </p>
  );
}

/** Whether a condition is about a group with a shown rank. */
const isOfGroup = ({ groups }: Why, condition: WhyMapping['condition']): boolean =>
  'groupId' in condition && groups.some(({ groupId }) => groupId === condition.groupId);

/** The person's rank in a group, the rules about it, and the rank that would give further roles. */
function OfGroup({ group: { groupId, name, roles }, why }: { group: Why['groups'][number]; why: Why }) {
  const words = useWords();
  const { t } = words;
  const own = why.mappings.filter(({ condition }) => 'groupId' in condition && condition.groupId === groupId);
  const next = why.next.find((each) => each.groupId === groupId);
  const rank =
    roles === null
      ? t('why.rank_unknown')
      : roles.length === 0
        ? t('why.not_member')
        : words.list(roles.map((role) => `${role.name} (${role.rank})`));
  return (
    <div className={css.origin}>
      <p className={css.person}>
        <Avatar name={name ?? groupId} size="sm" radius="sm" alt="" aria-hidden="true" />
        <span>
          {name ?? groupId} · <strong>{rank}</strong>
        </span>
      </p>
      <Paths mappings={own.filter(isTelling)} />
      {next !== undefined && (
        <p className={css.path}>
          <span className={css.next}>
            {t('why.next_rank', { rank: `${next.name ?? next.groupName} (${next.rank})` })}
          </span>
          <Arrow />
          <RoleChips ids={next.roleIds} />
        </p>
      )}
    </div>
  );
}

/** Whether a mapping gives, would give or would take something here, or can't be decided. */
const isTelling = ({ verdict, roles }: WhyMapping): boolean =>
  verdict !== 'unmatched' || roles.some(({ change }) => change !== null);

const Arrow = () => (
  <span className={css.arrow} aria-hidden="true">
    →
  </span>
);

/** Rules and their roles, one line each, `whole` with the group; remarks only where a rule doesn't simply hold. */
function Paths({ mappings, whole = false }: { mappings: readonly WhyMapping[]; whole?: boolean }) {
  const words = useWords();
  const { t } = words;
  const groups = useGroups();
  if (mappings.length === 0) return null;
  return (
    <ul className={css.paths}>
      {mappings.map(({ mappingId, name, condition, verdict, paused, roles }) => (
        <li key={mappingId} className={css.path}>
          <span>
            {name !== null && <strong>{name}: </strong>}
            {whole
              ? t('mapping.who', { condition: conditionWords(condition, groups, words) })
              : wordsUnderGroup(condition, groups, words)}
            <Remark verdict={paused === null ? verdict : 'paused'} roles={roles} />
          </span>
          <Arrow />
          <RoleChips ids={roles.map(({ roleId }) => roleId)} />
        </li>
      ))}
    </ul>
  );
}

/** The remarks on a rule that doesn't simply hold. */
function Remark({ verdict, roles }: { verdict: WhyMapping['verdict'] | 'paused'; roles: WhyMapping['roles'] }) {
  const { t } = useWords();
  const changes = roles.map(({ change }) => change);
  const remarks = [
    ...(verdict === 'matched' ? [] : [t(`why.${verdict}`)]),
    ...(changes.includes('add') ? [t('why.will_add')] : []),
    ...(changes.includes('remove') ? [t('why.will_remove')] : []),
  ];
  return remarks.length === 0 ? null : <span className={css.verdictWords}>{remarks.join(' ')}</span>;
}
