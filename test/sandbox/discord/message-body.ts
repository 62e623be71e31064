import { MessageFlags } from 'discord-api-types/v10';
import { z } from 'zod';
import { DiscordError, fieldError, parseForm } from './discord-error.js';
import { componentProblem, messageComponents } from './message-components.js';

/** Sizes of a message (Discord's documentation). Discord counts characters, not UTF-16 units. */
const contentLength = 2000;
const embedsPerMessage = 10;
const embedCharacters = 6000;

const characters = (most: number) =>
  z.string().refine((text) => [...text].length <= most, `Must be ${most} or fewer in length.`);

const embed = z.looseObject({
  title: characters(256).optional(),
  description: characters(4096).optional(),
  url: z.url().optional(),
  color: z.int().optional(),
  timestamp: z.iso.datetime({ offset: true }).optional(),
  fields: z
    .array(z.looseObject({ name: characters(256), value: characters(1024), inline: z.boolean().default(false) }))
    .max(25)
    .optional(),
  footer: z.looseObject({ text: characters(2048) }).optional(),
  author: z.looseObject({ name: characters(256) }).optional(),
});

const messageSchema = z.object({
  content: characters(contentLength).nullish(),
  embeds: z.array(embed).max(embedsPerMessage).nullish(),
  components: messageComponents.nullish(),
  flags: z.int().nullish(),
  nonce: z.union([z.string().max(25), z.int()]).nullish(),
  enforce_nonce: z.boolean().nullish(),
  tts: z.boolean().nullish(),
  allowed_mentions: z.looseObject({}).nullish(),
  message_reference: z.looseObject({ message_id: z.string() }).nullish(),
  attachments: z.array(z.looseObject({ id: z.union([z.string(), z.int()]) })).nullish(),
});

export type MessageBody = z.infer<typeof messageSchema>;

/** Checks the body of a message that is created or edited; `{}` and null are an empty one. */
export function parseMessage(body: unknown, flagsSoFar = 0): MessageBody {
  const message = parseForm(messageSchema, body ?? {});
  const isV2 = (((message.flags ?? 0) | flagsSoFar) & MessageFlags.IsComponentsV2) !== 0;
  if (isV2 && (message.content || message.embeds?.length)) {
    throw fieldError(['content'], 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', 'Not with IS_COMPONENTS_V2');
  }
  const problem = componentProblem(message.components ?? [], isV2);
  if (problem !== undefined) throw fieldError(['components'], 'COMPONENT_LAYOUT_INVALID', problem);
  if (countEmbedCharacters(message.embeds ?? []) > embedCharacters) {
    throw fieldError(['embeds'], 'MAX_EMBED_SIZE_EXCEEDED', `Embed size exceeds maximum size of ${embedCharacters}`);
  }
  return message;
}

/** Refuses a message that would show nothing. */
export function requireContent(message: MessageBody, files: number): void {
  if (message.content || message.embeds?.length || message.components?.length || files > 0) return;
  throw new DiscordError('emptyMessage');
}

function countEmbedCharacters(embeds: readonly z.infer<typeof embed>[]): number {
  const texts = embeds.flatMap(({ title, description, fields, footer, author }) => [
    title,
    description,
    footer?.text,
    author?.name,
    ...(fields ?? []).flatMap(({ name, value }) => [name, value]),
  ]);
  return texts.reduce((sum, text) => sum + [...(text ?? '')].length, 0);
}
