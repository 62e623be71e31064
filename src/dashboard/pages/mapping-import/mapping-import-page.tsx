import { Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Paths, Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { guildKey, guildQuery } from '../../api/queries.js';
import { ForRole } from '../../guild/for-role.js';
import { useGuild } from '../../guild/guild-context.js';
import { OtherBotsQuestion } from '../../guild/other-bots-question.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Choice } from '../../parts/choice.js';
import { Page } from '../../parts/page.js';
import { Failed } from '../../parts/states.js';
import { TextOrFile } from '../../parts/text-or-file.js';
import { ImportOutcome } from './import-outcome.js';
import css from './mapping-import.module.css';

type Wish = Paths['/api/guilds/{guildId}/mappings/import']['post']['requestBody']['content']['application/json'];
type Format = Extract<Wish, { format: unknown }>['format'];

/** The formats in their order of choice: the compiler asks for a new one. */
const formatOrder: Readonly<Record<Format, true>> = { bloxlink: true, rover: true, rowifi: true, csv: true };
const formats = Object.keys(formatOrder) as Format[];

/** Another bot's or a list's rules, as mappings. Nothing is stored before *Import*. */
export function MappingImportPage() {
  const { t } = useWords();
  return (
    <ForRole least="manager" title={t('mapping_import.title')}>
      <Page title={t('mapping_import.title')} lead={t('mapping_import.lead')}>
        <ImportForm />
      </Page>
    </ForRole>
  );
}

function ImportForm() {
  const { t, language } = useWords();
  const { guildId } = useGuild();
  const [format, setFormat] = useState<Format>('bloxlink');
  const [text, setText] = useState('');
  const [addGroups, setAddGroups] = useState(true);
  const params = { path: { guildId } };
  const check = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/api/guilds/{guildId}/mappings/import', {
          params,
          headers: { 'accept-language': language },
          body: { format, text, addGroups, dryRun: true },
        }),
      ),
  });
  const change = (set: () => void) => {
    set();
    check.reset();
  };
  return (
    <>
      <Choice
        label={t('mapping_import.from_which')}
        className={css.source ?? ''}
        value={format}
        options={formats.map((value) => ({ value, label: t(`mapping_import.from_${value}`) }))}
        onChange={(wanted) => change(() => setFormat(wanted))}
      />
      <TextOrFile
        label={t('mapping_import.text')}
        accept=".csv,.txt,.json"
        text={text}
        onChange={(typed) => change(() => setText(typed))}
      />
      <Switch
        my="sm"
        label={t('mapping_import.add_groups')}
        checked={addGroups}
        onChange={({ currentTarget: { checked } }) => change(() => setAddGroups(checked))}
      />
      <ActButton
        variant={check.data === undefined ? 'filled' : 'default'}
        disabled={text.trim() === ''}
        loading={check.isPending}
        onClick={() => check.mutate()}
      >
        {t('config.check')}
      </ActButton>
      <Failed error={check.error} />
      {check.data !== undefined && <Proposal proposed={check.data} />}
    </>
  );
}

/** The effect, and the button that stores exactly these mappings. */
function Proposal({ proposed }: { proposed: Schemas['MappingImport'] }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { created, limits, addedGroups } = proposed;
  const apply = useMutation({
    meta: { toast: 'toast.mappings_imported' },
    mutationFn: () =>
      answerOf(
        api.POST('/api/guilds/{guildId}/mappings/import', {
          params: { path: { guildId } },
          body: {
            mappings: created.map(({ mapping }) => mapping),
            addGroups: addedGroups.length > 0,
            dryRun: false,
          },
        }),
      ),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
      // An observing server is on its way from another bot, and goes on there.
      const isMoving = queryClient.getQueryData(guildQuery(guildId).queryKey)?.mode === 'observe';
      await navigate({ to: isMoving ? '/g/$guildId/move' : '/g/$guildId/mappings', params: { guildId } });
    },
  });
  return (
    <section role="status" className={css.outcome}>
      <ImportOutcome proposed={proposed} />
      <OtherBotsQuestion {...proposed}>
        <ActButton
          disabled={created.length === 0 || !limits.fits}
          loading={apply.isPending}
          onClick={() => apply.mutate()}
        >
          {t('mapping_import.apply', { count: created.length })}
        </ActButton>
      </OtherBotsQuestion>
      <Failed error={apply.error} />
    </section>
  );
}
