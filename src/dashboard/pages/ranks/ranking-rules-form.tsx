import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { type Group, guildKey } from '../../api/queries.js';
import { type RankingRules, rankingRulesQuery } from '../../api/ranking-queries.js';
import { fieldProblems } from '../../api/refusal.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { RolePicker } from '../../guild/role-picker.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { ChoiceOrNone } from '../../parts/choice.js';
import { NumberField } from '../../parts/number-field.js';
import { Answered, Failed } from '../../parts/states.js';
import css from './ranks.module.css';

/** The people who may rank in a group, and how far. */
export function RankingRulesForm({ group }: { group: Group }) {
  const { guildId } = useGuild();
  const rules = useQuery(rankingRulesQuery(guildId, group.groupId));
  return (
    <Answered query={rules} shape={[['form', 4]]}>
      {(stored) => <Form key={JSON.stringify(stored)} group={group} stored={stored} />}
    </Answered>
  );
}

const teamRoles = ['manager', 'admin', 'owner'] as const;
const mostPerHour = 1_000;

function Form({ group, stored }: { group: Group; stored: RankingRules }) {
  const words = useWords();
  const { t } = words;
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const why = useReasonAgainst('admin');
  const [rules, setRules] = useState(stored);
  const change = (changed: Partial<RankingRules>) => setRules((before) => ({ ...before, ...changed }));
  const save = useMutation({
    meta: { toast: 'toast.saved' },
    mutationFn: () =>
      answerOf(
        api.PUT('/api/guilds/{guildId}/groups/{groupId}/ranking', {
          params: { path: { guildId, groupId: group.groupId } },
          body: rules,
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
  const problems = fieldProblems(save.error, words);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const givable = group.roles.filter(({ rank }) => rank > 0 && rank < 255).sort((a, b) => b.rank - a.rank);
  const isReader = why !== undefined;
  return (
    <form onSubmit={submit} className={css.form}>
      <ChoiceOrNone
        label={t('ranks.team_role')}
        description={t('ranks.team_role_hint')}
        none={t('ranks.nobody')}
        disabled={isReader}
        value={rules.teamRole ?? undefined}
        options={teamRoles.map((value) => ({ value, label: t(`role.${value}`) }))}
        onChange={(teamRole) => change({ teamRole: teamRole ?? null })}
      />
      <RolePicker
        label={t('ranks.roles_may')}
        max={10}
        disabled={isReader}
        value={rules.roleIds}
        error={problems.roleIds}
        onChange={(roleIds) => change({ roleIds: [...roleIds] })}
      />
      <ChoiceOrNone
        label={t('ranks.highest')}
        none={t('ranks.below_own')}
        disabled={isReader}
        value={rules.highestRank === null ? undefined : String(rules.highestRank)}
        options={givable.map(({ name, rank }) => ({ value: String(rank), label: `${name} (${rank})` }))}
        onChange={(rank) => change({ highestRank: rank === undefined ? null : Number(rank) })}
      />
      <NumberField
        label={t('ranks.per_hour')}
        min={1}
        max={mostPerHour}
        required
        disabled={isReader}
        value={rules.perHour}
        error={problems.perHour}
        onChange={(perHour) => perHour !== null && change({ perHour })}
      />
      {Object.keys(problems).length === 0 && <Failed error={save.error} />}
      {isReader ? (
        <ActButton reason={why}>{t('action.save')}</ActButton>
      ) : (
        <Button type="submit" loading={save.isPending}>
          {t('action.save')}
        </Button>
      )}
    </form>
  );
}
