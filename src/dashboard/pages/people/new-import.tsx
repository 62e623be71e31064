import { TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { renewalMs } from '../../api/renewal.js';
import { useGuild } from '../../guild/guild-context.js';
import { botNames } from '../../guild/import-bots.js';
import { OtherBotsQuestion } from '../../guild/other-bots-question.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Choice } from '../../parts/choice.js';
import { Section } from '../../parts/page.js';
import { Failed } from '../../parts/states.js';
import { TextOrFile } from '../../parts/text-or-file.js';
import { ImportEffects } from './import-effects.js';
import { ImportCounts, minutesOf } from './import-numbers.js';
import css from './people.module.css';

type Bot = keyof typeof botNames;
type Source = 'csv' | Bot;

const nicknameChoices = ['set', 'keep'] as const;
type Nicknames = (typeof nicknameChoices)[number];
const draftOf = (source: Source, typed: string) => (source === 'csv' ? { csv: typed } : { source, key: typed.trim() });

/** A list, or another bot with this server's key: a dry run first, then exactly that import. */
export function NewImport({ onStart }: { onStart: () => unknown }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const [source, setSource] = useState<Source>('csv');
  const [typed, setTyped] = useState('');
  const [nicknames, setNicknames] = useState<Nicknames>('set');
  const send = (confirmed: { dryRun: true } | { dryRun: false; reviewKey: string; nicknames: Nicknames }) =>
    answerOf(
      api.POST('/api/guilds/{guildId}/people/import', {
        params: { path: { guildId } },
        body: { ...draftOf(source, typed), ...confirmed },
      }),
    );
  const check = useMutation({ mutationFn: () => send({ dryRun: true }) });
  const start = useMutation({
    meta: { toast: 'toast.import' },
    mutationFn: (reviewKey: string) => send({ dryRun: false, reviewKey, nicknames }),
    onSuccess: onStart,
    // The numbers may have changed since they were shown: then the new ones are.
    onError: () => check.mutate(),
  });
  const change = (wanted: Source, text: string) => {
    setSource(wanted);
    setTyped(text);
    check.reset();
    start.reset();
  };
  const first = check.data !== undefined && 'seconds' in check.data ? check.data : undefined;
  // A long list's effects are planned in the background: the same dry run answers them.
  const later = useQuery({
    queryKey: [...guildKey(guildId), 'people-effects', first?.reviewKey],
    queryFn: () => send({ dryRun: true }),
    enabled: first?.effects.state === 'planning',
    refetchInterval: ({ state }) => renewalMs(state, isPlanned(state.data) ? null : 'work'),
  });
  const proposed = isPlanned(later.data) && first !== undefined ? { ...first, effects: later.data.effects } : first;
  return (
    <Section title={t('people.title')}>
      <Choice
        label={t('people.source')}
        className={css.source ?? ''}
        value={source}
        options={[
          { value: 'csv', label: t('people.source_csv') },
          ...Object.entries(botNames).map(([value, label]) => ({ value: value as Bot, label })),
        ]}
        onChange={(wanted) => change(wanted, '')}
      />
      {source === 'csv' ? (
        <TextOrFile
          label={t('people.text')}
          placeholder="175928847299117063,261"
          accept=".csv,.txt"
          text={typed}
          onChange={(text) => change('csv', text)}
        />
      ) : (
        <TextInput
          type="password"
          label={t('people.key', { bot: botNames[source] })}
          description={`${t(`people.key_from_${source}`)} ${t('people.key_hint')}`}
          autoComplete="off"
          value={typed}
          onChange={({ currentTarget: { value } }) => change(source, value)}
        />
      )}
      <div className={css.buttons}>
        <ActButton
          variant={proposed === undefined ? 'filled' : 'default'}
          disabled={typed.trim() === ''}
          loading={check.isPending}
          onClick={() => check.mutate()}
        >
          {t('config.check')}
        </ActButton>
      </div>
      <Failed error={check.error} />
      {proposed !== undefined && (
        <div role="status">
          <Proposal proposed={proposed} source={source} />
          <OtherBotsQuestion key={proposed.reviewKey} {...proposed}>
            <NicknameChoice value={nicknames} onChange={setNicknames} />
            <ActButton
              disabled={proposed.new + proposed.known === 0}
              loading={start.isPending}
              onClick={() => start.mutate(proposed.reviewKey)}
            >
              {t('people.start')}
            </ActButton>
          </OtherBotsQuestion>
        </div>
      )}
      <Failed error={start.error} />
    </Section>
  );
}

const isPlanned = (answer: unknown): answer is Schemas['ProposedPeopleImport'] => {
  const found = answer as Partial<Schemas['ProposedPeopleImport']> | undefined;
  return found?.effects !== undefined && found.effects.state !== 'planning';
};

function NicknameChoice({ value, onChange }: { value: Nicknames; onChange: (value: Nicknames) => unknown }) {
  const { t } = useWords();
  return (
    <Choice
      label={t('people.nicknames')}
      className={css.source ?? ''}
      value={value}
      options={nicknameChoices.map((each) => ({ value: each, label: t(`people.nicknames_${each}`) }))}
      onChange={onChange}
    />
  );
}

function Proposal({ proposed, source }: { proposed: Schemas['ProposedPeopleImport']; source: Source }) {
  const { t } = useWords();
  const count = proposed.new;
  const sentence =
    source === 'csv' ? t('people.would', { count }) : t('people.would_ask', { bot: botNames[source], count });
  return (
    <>
      <p className={css.words}>
        {sentence} {count > 0 && t('people.takes', { minutes: minutesOf(proposed.seconds) })}
      </p>
      {count > 0 && <ImportEffects found={proposed.effects} />}
      {source === 'csv' && <ImportCounts counts={proposed} label={t('people.title')} />}
    </>
  );
}
