import { InteractionResponseType as Callback, InteractionType, MessageFlags } from 'discord-api-types/v10';
import { z } from 'zod';
import { type DiscordError, fieldError, parseForm } from './discord-error.js';
import type { DiscordState } from './discord-state.js';
import type { Call } from './endpoint.js';
import type { InteractionRecord } from './interaction-record.js';
import { parseMessage, requireContent } from './message-body.js';
import { createMessage, editMessage } from './message-changes.js';
import { modalComponents, numberComponents } from './message-components.js';
import type { StoredMessage } from './sandbox-model.js';

const callbackSchema = z.object({ type: z.enum(Callback), data: z.looseObject({}).nullish() });

const modalSchema = z.object({
  custom_id: z.string().min(1).max(100),
  title: z.string().min(1).max(45),
  components: modalComponents,
});

const choicesSchema = z.object({
  choices: z
    .array(z.object({ name: z.string().min(1).max(100), value: z.union([z.string().max(100), z.number()]) }))
    .max(25),
});

/** The first answer to an interaction; gives the callback type. Throws 50035 for one that does not fit it. */
export function applyCallback(state: DiscordState, record: InteractionRecord, call: Call): Callback {
  const { type, data } = parseForm(callbackSchema, call.body);
  requireFitting(record, type);
  switch (type) {
    case Callback.ChannelMessageWithSource:
      record.acknowledge({ original: answer(state, record, data, call.files), shown: true });
      break;
    case Callback.DeferredChannelMessageWithSource:
      record.acknowledge({ original: deferredAnswer(state, record, data), shown: false });
      break;
    case Callback.DeferredMessageUpdate:
      record.acknowledge({ original: pressedMessage(record), shown: false });
      break;
    case Callback.UpdateMessage:
      record.acknowledge({ original: update(state, record, data, call.files), shown: true });
      break;
    case Callback.ApplicationCommandAutocompleteResult:
      record.acknowledge({ ...parseForm(choicesSchema, data ?? {}), shown: true });
      break;
    default:
      record.acknowledge({ modal: modal(data), shown: false });
  }
  return type;
}

/** A message as an answer to the interaction, the first one or a later one. */
export function answer(
  state: DiscordState,
  record: InteractionRecord,
  data: unknown,
  files: Call['files'],
): StoredMessage {
  const body = parseMessage(data);
  requireContent(body, files.length);
  const ephemeral = (body.flags ?? 0) & MessageFlags.Ephemeral;
  return createMessage(state, state.channel(record.input.channelId), body, files, {
    flags: ephemeral,
    visibleTo: ephemeral ? record.input.userId : undefined,
    interaction: origin(record),
  });
}

/** "… is thinking": only its flag EPHEMERAL counts, and it holds for the answer that fills it in. */
function deferredAnswer(state: DiscordState, record: InteractionRecord, data: unknown): StoredMessage {
  const ephemeral = (parseMessage(data).flags ?? 0) & MessageFlags.Ephemeral;
  return createMessage(state, state.channel(record.input.channelId), {}, [], {
    flags: MessageFlags.Loading | ephemeral,
    visibleTo: ephemeral ? record.input.userId : undefined,
    interaction: origin(record),
  });
}

function update(state: DiscordState, record: InteractionRecord, data: unknown, files: Call['files']): StoredMessage {
  const message = pressedMessage(record);
  return editMessage(state, message, parseMessage(data, message.flags), files);
}

function pressedMessage({ input }: InteractionRecord): StoredMessage {
  if (!input.message) throw typeMisfit();
  return input.message;
}

function modal(data: unknown): NonNullable<InteractionRecord['modal']> {
  const { custom_id: customId, title, components } = parseForm(modalSchema, data ?? {});
  return { customId, title, components: numberComponents(components) };
}

function origin({ origin, input }: InteractionRecord): NonNullable<StoredMessage['interaction']> {
  return { ...origin, userId: input.userId };
}

const messageAnswers: readonly Callback[] = [
  Callback.ChannelMessageWithSource,
  Callback.DeferredChannelMessageWithSource,
];
const updates: readonly Callback[] = [Callback.DeferredMessageUpdate, Callback.UpdateMessage];

/**
 * Which answers each kind of interaction takes (Discord's documentation); updates only where there is a message to
 * update.
 */
function requireFitting({ input }: InteractionRecord, type: Callback): void {
  const fitting: Partial<Record<InteractionType, readonly Callback[]>> = {
    [InteractionType.ApplicationCommand]: [...messageAnswers, Callback.Modal],
    [InteractionType.MessageComponent]: [...messageAnswers, ...updates, Callback.Modal],
    [InteractionType.ModalSubmit]: input.message ? [...messageAnswers, ...updates] : messageAnswers,
    [InteractionType.ApplicationCommandAutocomplete]: [Callback.ApplicationCommandAutocompleteResult],
  };
  if (!fitting[input.type]?.includes(type)) throw typeMisfit();
}

function typeMisfit(): DiscordError {
  return fieldError(['type'], 'INTERACTION_APPLICATION_INVALID_TYPE', 'Not an answer to this kind of interaction');
}
