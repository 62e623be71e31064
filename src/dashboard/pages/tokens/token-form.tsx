import { Button, Group, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { fieldProblems } from '../../api/refusal.js';
import { type Token, tokensQuery } from '../../api/team-queries.js';
import { rightsUpTo, useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { Choice } from '../../parts/choice.js';
import { NumberField } from '../../parts/number-field.js';
import { Failed } from '../../parts/states.js';
import { RankerFields, useRankerLimits } from './ranker-fields.js';
import css from './tokens.module.css';

const mostDays = 365;

/** A token as it is shown once. */
export type NewToken = Pick<Token, 'role' | 'ranking'> & { token: string };

/** The roles of programs that do one thing each. */
const narrowRoles = ['game', 'verifier', 'ranker'] as const;

/** Makes a token that may as much as its maker at most. */
export function TokenForm({ onClose, onMade }: { onClose: () => void; onMade: (made: NewToken) => void }) {
  const words = useWords();
  const { t } = words;
  const { guildId, role: own } = useGuild();
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Token['role']>(rightsUpTo(own)[0] ?? 'viewer');
  const [days, setDays] = useState<number | null>(90);
  const ranker = useRankerLimits();
  const isRanker = role === 'ranker';
  const make = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/api/guilds/{guildId}/tokens', {
          params: { path: { guildId } },
          body: {
            ...{ name: name.trim(), role, expiresInDays: days ?? mostDays },
            ...(isRanker && ranker.limits !== undefined && { ranking: ranker.limits }),
          },
        }),
      ),
    async onSuccess(made) {
      onMade(made);
      onClose();
      await queryClient.invalidateQueries({ queryKey: tokensQuery(guildId).queryKey });
    },
  });
  const problems = fieldProblems(make.error, words);
  const isWhole = name.trim() !== '' && days !== null && (!isRanker || ranker.limits !== undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <Modal opened onClose={onClose} title={t('tokens.make')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <form onSubmit={submit} className={css.form}>
        <TextInput
          label={t('tokens.name')}
          description={t('tokens.name_hint')}
          required
          maxLength={100}
          value={name}
          error={problems.name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Choice
          label={t('tokens.role')}
          description={t(isRanker ? 'token_ranks.hint' : 'tokens.role_hint')}
          value={role}
          options={[...rightsUpTo(own), ...narrowRoles].map((value) => ({ value, label: t(`role.${value}`) }))}
          onChange={setRole}
        />
        {isRanker && <RankerFields form={ranker} problems={problems} />}
        <NumberField
          label={t('tokens.days')}
          min={1}
          max={mostDays}
          required
          value={days}
          error={problems.expiresInDays}
          onChange={setDays}
        />
        {Object.keys(problems).length === 0 && <Failed error={make.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('action.cancel')}
          </Button>
          <Button type="submit" loading={make.isPending} disabled={!isWhole}>
            {t('tokens.make')}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
