import { ComponentType, MessageFlags } from 'discord-api-types/v10';
import { flattenComponents } from './message-components.js';
import type { Component, Embed, StoredMessage } from './sandbox-model.js';

export interface SandboxButton {
  readonly customId?: string;
  readonly label?: string;
  readonly url?: string;
  readonly disabled?: boolean;
}

interface SandboxSelect {
  readonly customId: string;
  readonly type: number;
  readonly options: readonly { readonly label: string; readonly value: string }[];
}

/** A message as a person sees it at one moment: a copy, which later edits do not change. */
export interface SandboxMessage {
  readonly id: string;
  readonly channelId: string;
  readonly authorId: string;
  readonly content: string;
  readonly embeds: readonly Embed[];
  readonly components: readonly Component[];
  /** All buttons, wherever in the components they are. */
  readonly buttons: readonly SandboxButton[];
  readonly selects: readonly SandboxSelect[];
  readonly attachments: readonly { readonly filename: string; readonly size: number; readonly text: string }[];
  /** Whom and what its mentions may ping, as the bot has said. */
  readonly allowedMentions: Readonly<Record<string, unknown>> | undefined;
  readonly flags: number;
  readonly ephemeral: boolean;
  readonly createdAt: Date;
  readonly editedAt: Date | null;
}

export function viewMessage(message: StoredMessage): SandboxMessage {
  const { id, channelId, authorId, content, embeds, components, attachments, flags, createdAt, editedAt } = message;
  const all = flattenComponents(components);
  return {
    id,
    channelId,
    authorId,
    content,
    embeds,
    components,
    buttons: all.filter(({ type }) => type === ComponentType.Button).map(viewButton),
    selects: all.filter(isSelect).map(viewSelect),
    attachments,
    allowedMentions: message.allowedMentions,
    flags,
    ephemeral: (flags & MessageFlags.Ephemeral) !== 0,
    createdAt,
    editedAt,
  };
}

/** Everything there is to read in a message, one piece a line: content, embeds, text components. */
export function wordsOf(message: SandboxMessage): string {
  const texts = flattenComponents(message.components).filter(({ type }) => type === ComponentType.TextDisplay);
  const pieces = [message.content, ...message.embeds.flatMap(embedWords), ...texts.map(({ content }) => content)];
  return pieces.filter(Boolean).join('\n');
}

export function isSelect({ type }: Component): boolean {
  return (
    type === ComponentType.StringSelect || (type >= ComponentType.UserSelect && type <= ComponentType.ChannelSelect)
  );
}

function viewButton({ custom_id, label, url, disabled }: Component): SandboxButton {
  return {
    ...(custom_id === undefined ? {} : { customId: custom_id }),
    ...(label ? { label } : {}),
    ...(url === undefined ? {} : { url }),
    ...(disabled === undefined ? {} : { disabled }),
  };
}

function viewSelect({ custom_id = '', type, options = [] }: Component): SandboxSelect {
  return { customId: custom_id, type, options };
}

function embedWords({ author, title, description, fields = [], footer }: Embed): (string | undefined)[] {
  return [author?.name, title, description, ...fields.flatMap(({ name, value }) => [name, value]), footer?.text];
}
