import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { api, taggedAnswerOf } from '../../api/client.js';
import { guildKey, type Settings, settingsQuery } from '../../api/queries.js';
import { fieldProblems, hasCode } from '../../api/refusal.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { RoleNote } from '../../guild/role-note.js';
import { useUndo } from '../../guild/use-undo.js';
import { useWords } from '../../i18n/words-provider.js';
import { useFocusByAddress } from '../../parts/focus-by-address.js';
import { useKeepDraft, useKeptDraft } from '../../parts/kept-draft.js';
import { Page } from '../../parts/page.js';
import { Answered, Failed } from '../../parts/states.js';
import { showToast } from '../../parts/toast.js';
import { UnsavedGuard } from '../../parts/unsaved-guard.js';
import css from './settings.module.css';
import { differences, merged } from './settings-difference.js';
import { SettingsFields } from './settings-fields.js';
import { SparedMembers } from './spared-members.js';

// Loaded on demand, since it is rare: another admin saved in the meantime.
const TheirChanges = lazy(async () => ({ default: (await import('./their-changes.js')).TheirChanges }));

export function SettingsPage() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const stored = useQuery(settingsQuery(guildId));
  useFocusByAddress(stored.isSuccess);
  return (
    <Page title={t('nav.settings')} lead={t('settings.lead')}>
      <Answered query={stored} shape={pageShapes.settings.parts}>
        {({ value, etag }) => <SettingsForm stored={value} etag={etag} />}
      </Answered>
    </Page>
  );
}

/** The form's initial values, and the time since when another admin's change is known. */
interface Base {
  settings: Settings;
  etag: string;
}

function SettingsForm({ stored, etag }: { stored: Settings; etag: string }) {
  const words = useWords();
  const { t } = words;
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [base, setBase] = useState<Base>({ settings: stored, etag });
  const kept = useKeptDraft<Settings>(etag);
  const [draft, setDraft] = useState(kept ?? stored);
  const [theirs, setTheirs] = useState<Base>();
  const reason = useReasonAgainst('admin');
  const changes = differences(base.settings, draft);
  useKeepDraft(base.etag, draft, changes.length > 0);
  const start = (from: Base, mine = from.settings) => {
    setBase(from);
    setDraft(mine);
    setTheirs(undefined);
  };
  const save = useMutation({
    mutationFn: () =>
      taggedAnswerOf<Settings>(
        api.PUT('/api/guilds/{guildId}/settings', {
          params: { path: { guildId }, header: { 'if-match': base.etag } },
          body: draft,
        }),
      ),
    async onSuccess(saved) {
      const before = base.settings;
      showToast({ message: 'toast.saved', undo: () => putBack(before, saved.etag) });
      start({ settings: saved.value, etag: saved.etag });
      queryClient.setQueryData(settingsQuery(guildId).queryKey, saved);
      await queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
    },
    async onError(error) {
      if (!hasCode(error, 'version_mismatch')) return;
      const now = await queryClient.fetchQuery({ ...settingsQuery(guildId), staleTime: 0 });
      setTheirs({ settings: now.value, etag: now.etag });
    },
  });
  const putBack = useUndo(guildId, (before: Settings, since: string) =>
    api.PUT('/api/guilds/{guildId}/settings', {
      params: { path: { guildId }, header: { 'if-match': since } },
      body: before,
    }),
  );
  // Without its own changes the form shows the stored values.
  if (changes.length === 0 && etag !== base.etag && !save.isPending) start({ settings: stored, etag });
  return (
    <div>
      <UnsavedGuard isUnsaved={changes.length > 0} />
      <RoleNote least="admin" />
      <SparedMembers etag={base.etag} />
      <SettingsFields
        draft={draft}
        onChange={setDraft}
        disabled={reason !== undefined}
        problems={fieldProblems(save.error, words)}
      />
      {theirs !== undefined && (
        <Suspense>
          <TheirChanges
            base={base.settings}
            mine={draft}
            theirs={theirs.settings}
            onChosen={(paths) => {
              save.reset();
              start(theirs, merged(theirs.settings, draft, paths));
            }}
          />
        </Suspense>
      )}
      {save.isSuccess && changes.length === 0 && (
        <p role="status" className={css.note}>
          {t('settings.saved')}
        </p>
      )}
      {changes.length > 0 && (
        <div className={css.bar}>
          <Failed error={hasCode(save.error, 'version_mismatch') ? null : save.error} />
          <span role="status">{t('settings.unsaved', { count: changes.length })}</span>
          <Group gap="xs">
            <Button variant="default" onClick={() => start(base)}>
              {t('settings.discard')}
            </Button>
            <Button loading={save.isPending} onClick={() => save.mutate()}>
              {t('action.save')}
            </Button>
          </Group>
        </div>
      )}
    </div>
  );
}
