import { Alert, Button, Group, Switch, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api, taggedAnswerOf } from '../../api/client.js';
import { type Condition, guildKey, type Mapping, meQuery } from '../../api/queries.js';
import { hasCode } from '../../api/refusal.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { NicknameExample } from '../../guild/nickname-example.js';
import { RoleNote } from '../../guild/role-note.js';
import { RolePicker } from '../../guild/role-picker.js';
import { useUndo } from '../../guild/use-undo.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { useKeepDraft, useKeptDraft } from '../../parts/kept-draft.js';
import { LinkButton } from '../../parts/link-button.js';
import { NumberField } from '../../parts/number-field.js';
import { Failed } from '../../parts/states.js';
import { showToast } from '../../parts/toast.js';
import { UnsavedGuard } from '../../parts/unsaved-guard.js';
import { isComplete } from './condition-draft.js';
import { ConditionEditor } from './condition-editor.js';
import { type Draft, draftOf, freshDraft } from './mapping-draft.js';
import css from './mappings.module.css';
import { WhatWouldChange } from './what-would-change.js';

/** A mapping as a sentence to fill in, with its changes previewed. */
export function MappingForm(props: {
  stored?: Mapping;
  /** The mapping that a new one copies at first. */
  like?: Mapping | undefined;
  /** The rank that a new one starts with; empty parts are chosen yet. */
  rank?: { groupId: string; gameRoleId: string };
  etag?: string;
  onTheirs?: () => unknown;
}) {
  const { stored, like, rank, etag = '', onTheirs } = props;
  const begun = stored ?? like;
  const { t } = useWords();
  const { guildId } = useGuild();
  const [first] = useState(() => (begun === undefined ? freshDraft(rank) : draftOf(begun)));
  const kept = useKeptDraft<Draft>(etag);
  const [draft, setDraft] = useState(kept ?? first);
  const reason = useReasonAgainst('manager');
  const save = useSave(stored, etag);
  const needsRoles = draft.condition.type !== 'group_roles';
  const missing =
    !isComplete(draft.condition) || (needsRoles && draft.roleIds.length === 0) ? t('editor.incomplete') : undefined;
  const isChanged = JSON.stringify(draft) !== JSON.stringify(first);
  useKeepDraft(etag, draft, isChanged && !save.isSuccess);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason === undefined && missing === undefined) save.mutate(draft);
  };
  return (
    <div className={css.editor}>
      <UnsavedGuard isUnsaved={isChanged && !save.isSuccess && !save.isPending} />
      <form onSubmit={submit} className={css.form}>
        <RoleNote least="manager" />
        <SentenceFields draft={draft} setDraft={setDraft} disabled={reason !== undefined} />
        <Failed error={hasCode(save.error, 'version_mismatch') ? null : save.error} />
        {hasCode(save.error, 'version_mismatch') && (
          <Alert color="yellow" role="alert" title={t('editor.changed_meanwhile')} my="sm">
            <p>{t('editor.changed_meanwhile_why')}</p>
            <Button size="xs" variant="default" onClick={() => onTheirs?.()}>
              {t('editor.load_theirs')}
            </Button>
          </Alert>
        )}
        <Group mt="md">
          <ActButton type="submit" reason={reason ?? missing} loading={save.isPending}>
            {t('action.save')}
          </ActButton>
          <LinkButton to="/g/$guildId/mappings" params={{ guildId }} variant="default">
            {t('action.cancel')}
          </LinkButton>
        </Group>
      </form>
      <WhatWouldChange draft={missing === undefined ? draft : undefined} mappingId={stored?.mappingId} />
    </div>
  );
}

/** Stores a mapping; *Undo* writes the version before, unless the mapping has changed since. */
function useSave(stored: Mapping | undefined, etag: string) {
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const write = (mappingId: string, since: string, body: Draft) =>
    api.PUT('/api/guilds/{guildId}/mappings/{mappingId}', {
      params: { path: { guildId, mappingId }, ...(since !== '' && { header: { 'if-match': since } }) },
      body,
    });
  const putBack = useUndo(guildId, (before: Mapping, since: string) => write(before.mappingId, since, draftOf(before)));
  return useMutation({
    mutationFn: (body: Draft) =>
      taggedAnswerOf<Mapping>(
        stored === undefined
          ? api.POST('/api/guilds/{guildId}/mappings', { params: { path: { guildId } }, body })
          : write(stored.mappingId, etag, body),
      ),
    async onSuccess(saved) {
      showToast({ message: 'toast.saved', ...(stored !== undefined && { undo: () => putBack(stored, saved.etag) }) });
      await queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
      await navigate({ to: '/g/$guildId/mappings', params: { guildId }, ignoreBlocker: true });
    },
  });
}

interface FieldProps {
  draft: Draft;
  setDraft: (draft: Draft) => void;
  disabled: boolean;
}

function SentenceFields({ draft, setDraft, disabled }: FieldProps) {
  const { t } = useWords();
  const set = (changed: Partial<Draft>) => setDraft({ ...draft, ...changed });
  const setCondition = (condition: Condition) =>
    set({ condition, ...(condition.type === 'group_roles' && { roleIds: [] }) });
  return (
    <>
      {draft.condition.type !== 'group_roles' && (
        <RolePicker
          label={t('editor.give')}
          onlyAssignable
          max={10}
          disabled={disabled}
          value={draft.roleIds}
          onChange={(roleIds) => set({ roleIds })}
        />
      )}
      <fieldset className={css.who}>
        <legend>{t('editor.who')}</legend>
        <ConditionEditor value={draft.condition} onChange={setCondition} depth={1} disabled={disabled} />
      </fieldset>
      <Switch
        my="sm"
        label={t('editor.remove')}
        description={t('editor.remove_why')}
        disabled={disabled}
        checked={draft.removeWhenUnmatched}
        onChange={(event) => set({ removeWhenUnmatched: event.currentTarget.checked })}
      />
      <Switch
        my="sm"
        label={t('editor.enabled')}
        disabled={disabled}
        checked={draft.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      <NicknameFields draft={draft} setDraft={setDraft} disabled={disabled} />
      <TextInput
        label={t('editor.name')}
        description={t('editor.name_why')}
        maxLength={100}
        disabled={disabled}
        value={draft.name ?? ''}
        onChange={({ currentTarget: { value } }) => set({ name: value === '' ? null : value })}
      />
    </>
  );
}

/** The nickname of matching members, in place of the one in the settings. */
function NicknameFields({ draft, setDraft, disabled }: FieldProps) {
  const { t } = useWords();
  const { nickname } = draft;
  const { data: me } = useQuery(meQuery);
  return (
    <>
      <TextInput
        label={t('editor.nickname')}
        description={t('editor.nickname_why')}
        placeholder="{gameDisplayName} ({gameUsername})"
        disabled={disabled}
        value={nickname?.template ?? ''}
        onChange={({ currentTarget: { value } }) =>
          setDraft({ ...draft, nickname: value === '' ? null : { ...nickname, template: value } })
        }
      />
      {nickname !== null && me != null && <NicknameExample template={nickname.template} me={me} />}
      {nickname !== null && (
        <NumberField
          label={t('editor.order')}
          description={t('editor.order_why')}
          min={1}
          max={1_000}
          disabled={disabled}
          value={nickname.order ?? 100}
          onChange={(order) => setDraft({ ...draft, nickname: { ...nickname, order: order ?? 100 } })}
        />
      )}
    </>
  );
}
