import { Button, Checkbox, Group, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { fieldProblems, hasCode } from '../../api/refusal.js';
import { type Webhook, type WebhookEvent, webhookKey, webhookQuery, webhooksQuery } from '../../api/webhook-queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { Failed } from '../../parts/states.js';
import { events } from './webhook-words.js';
import css from './webhooks.module.css';

interface Draft {
  url: string;
  description: string | null;
  events: WebhookEvent[];
}

/** An endpoint to be made, or one to be changed as it was seen. A new one shows its secret afterwards. */
export function WebhookForm({ seen, onClose }: { seen?: { webhook: Webhook; etag: string }; onClose: () => void }) {
  const { t } = useWords();
  const { save, secret } = useSave(seen, onClose);
  if (secret !== undefined) return <ShownOnce title={t('webhook.secret')} secret={secret} onClose={onClose} />;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(seen === undefined ? 'webhooks.add' : 'webhook.edit')}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <Fields
        before={seen?.webhook ?? { url: '', description: null, events: [...events] }}
        problem={save.error}
        pending={save.isPending}
        onSave={save.mutate}
        onClose={onClose}
      />
    </Modal>
  );
}

function useSave(seen: { webhook: Webhook; etag: string } | undefined, onClose: () => void) {
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [secret, setSecret] = useState<string>();
  // The version that the person edits, while the page behind goes on with newer ones.
  const [etag, setEtag] = useState(seen?.etag ?? '');
  const save = useMutation({
    meta: { toast: 'toast.saved' },
    async mutationFn(body: Draft) {
      if (seen === undefined) {
        const made = api.POST('/api/guilds/{guildId}/webhooks', { params: { path: { guildId } }, body });
        setSecret((await answerOf(made)).secret);
        return;
      }
      const path = { guildId, webhookId: seen.webhook.webhookId };
      const header = { 'if-match': etag };
      await answerOf(api.PATCH('/api/guilds/{guildId}/webhooks/{webhookId}', { params: { path, header }, body }));
      onClose();
    },
    async onSettled(_, error) {
      const isStale = hasCode(error, 'version_mismatch');
      if (error !== null && !isStale) return;
      await queryClient.invalidateQueries({ queryKey: webhooksQuery(guildId).queryKey });
      if (seen !== undefined) {
        const { webhookId } = seen.webhook;
        await queryClient.invalidateQueries({ queryKey: webhookKey(guildId, webhookId) });
        if (isStale) setEtag((await queryClient.ensureQueryData(webhookQuery(guildId, webhookId))).etag);
      }
    },
  });
  return { save, secret };
}

function Fields(props: {
  before: Draft;
  problem: unknown;
  pending: boolean;
  onSave: (draft: Draft) => void;
  onClose: () => void;
}) {
  const { before, problem, pending, onSave, onClose } = props;
  const words = useWords();
  const { t } = words;
  const [url, setUrl] = useState(before.url);
  const [description, setDescription] = useState(before.description ?? '');
  const [chosen, setChosen] = useState<readonly string[]>(before.events);
  const problems = fieldProblems(problem, words);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = events.filter((name) => chosen.includes(name));
    onSave({ url: url.trim(), description: description.trim() || null, events: wanted });
  };
  return (
    <form onSubmit={submit} className={css.form}>
      <TextInput
        label={t('webhook.url')}
        description={t('webhook.url_hint')}
        type="url"
        required
        value={url}
        error={problems.url}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <TextInput
        label={t('webhook.description')}
        maxLength={200}
        value={description}
        error={problems.description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <Checkbox.Group
        label={t('webhook.events')}
        value={[...chosen]}
        onChange={setChosen}
        error={chosen.length === 0 ? t('webhook.events_none') : problems.events}
      >
        <div className={css.events}>
          {events.map((name) => (
            <Checkbox key={name} value={name} label={name} description={t(`event.${name}`)} />
          ))}
        </div>
      </Checkbox.Group>
      {Object.keys(problems).length === 0 && <Failed error={problem} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('action.cancel')}
        </Button>
        <Button type="submit" loading={pending} disabled={chosen.length === 0}>
          {t('action.save')}
        </Button>
      </Group>
    </form>
  );
}
