import { Button, Modal, Group as Row, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Group, guildKey, type Member } from '../../api/queries.js';
import type { RankTarget } from '../../api/ranking-queries.js';
import { hasCode } from '../../api/refusal.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { Choice, ChoiceOrNone } from '../../parts/choice.js';
import { NumberField } from '../../parts/number-field.js';
import { Failed } from '../../parts/states.js';
import { useChangeRanks, useRankList } from './change-ranks.js';
import css from './members.module.css';
import { RankList, RankResults } from './rank-list.js';

/** Changes the ranks of selected people in one of these groups, by one list that is confirmed. */
export function RankSelected(props: {
  members: readonly Member[];
  groups: readonly Group[];
  onClose: () => void;
  onDone: () => void;
}) {
  const { groups, onClose, onDone } = props;
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  // A renewed list of members may lack one of them.
  const [members] = useState(props.members);
  const [groupId, setGroupId] = useState(groups[0]?.groupId ?? '');
  const change = useChangeRanks(groupId);
  const close = () => {
    if (change.isPending) return;
    if (change.data === undefined) return onClose();
    onDone();
    void queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
  };
  const group = groups.find((each) => each.groupId === groupId);
  return (
    <Modal
      opened
      size="lg"
      onClose={close}
      title={t('ranks.many_title', { count: members.length })}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      {change.data !== undefined ? (
        <RankResults results={change.data} groupId={groupId} onClose={close} />
      ) : (
        <div className={css.rankForm}>
          {groups.length > 1 && (
            <Choice
              label={t('ranks.group')}
              value={groupId}
              options={groups.map((each) => ({ value: each.groupId, label: each.name }))}
              onChange={setGroupId}
            />
          )}
          {group !== undefined && (
            <ListForm key={groupId} group={group} members={members} change={change} onClose={close} />
          )}
        </div>
      )}
    </Modal>
  );
}

const steps = [
  ['up', 1],
  ['down', -1],
] as const;

/** The ranks to choose from: a step in both directions, and each role but guests' and the owner's. */
function useTargets({ roles }: Group): { value: string; label: string; target: RankTarget }[] {
  const { t } = useWords();
  const givable = roles.filter(({ rank }) => rank > 0 && rank < 255).sort((a, b) => b.rank - a.rank);
  return [
    ...steps.map(([value, step]) => ({ value, label: t(`ranks.step_${value}`), target: { step } })),
    ...givable.map(({ gameRoleId, name, rank }) => ({
      ...{ value: gameRoleId, label: `${name} (${rank})`, target: { gameRoleId } },
    })),
  ];
}

/** More demotions than this take their number as a confirmation, as in the API (RANKING-13). */
const fewDemotions = 5;

function ListForm(props: {
  group: Group;
  members: readonly Member[];
  change: ReturnType<typeof useChangeRanks>;
  onClose: () => void;
}) {
  const { group, members, change, onClose } = props;
  const { t } = useWords();
  const targets = useTargets(group);
  const [chosen, setChosen] = useState<string>();
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState<number | null>(null);
  const target = targets.find(({ value }) => value === chosen)?.target;
  const { lines, isRead } = useRankList(group.groupId, members, target);
  const ready = lines.filter(({ effects }) => effects !== undefined);
  const demotions = ready.filter(({ isDemotion }) => isDemotion).length;
  const isOld = hasCode(change.error, 'demotions_unconfirmed');
  const mustType = demotions > fewDemotions;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (target !== undefined) change.mutate({ lines: ready, target, reason: reason.trim(), demotions });
  };
  return (
    <form onSubmit={submit} className={css.rankForm}>
      <ChoiceOrNone
        label={t('ranks.new')}
        none={t('ranks.choose')}
        value={chosen}
        options={targets}
        onChange={(value) => {
          change.reset();
          setChosen(value);
        }}
      />
      <TextInput
        label={t('ranks.reason')}
        maxLength={200}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {target !== undefined && <RankList lines={lines} isRead={isRead} />}
      {isRead && mustType && (
        <NumberField
          label={t('ranks.demotes', { count: demotions })}
          min={0}
          required
          value={typed}
          onChange={setTyped}
        />
      )}
      {isOld ? <p role="alert">{t('ranks.many_old')}</p> : <Failed error={change.error} />}
      <Row justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('action.cancel')}
        </Button>
        <Button
          type="submit"
          loading={change.isPending}
          disabled={!isRead || ready.length === 0 || (mustType && typed !== demotions)}
        >
          {t('ranks.change_many', { count: ready.length })}
        </Button>
      </Row>
    </form>
  );
}
