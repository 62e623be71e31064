import { setTimeout as delay } from 'node:timers/promises';
import {
  type APIModalInteractionResponseCallbackData,
  type CommandInteraction,
  type MessageComponentInteraction,
  MessageFlags,
  type ModalMessageModalSubmitInteraction,
  type ModalSubmitInteraction,
} from 'discord.js';
import type { Reply } from './reply.js';

export type Answerable = CommandInteraction | MessageComponentInteraction | ModalSubmitInteraction;

export type Answer = Reply | FollowedReply | FormReply;

/** `follow` continues to edit the message and never throws. */
export interface FollowedReply {
  reply: Reply;
  follow(interaction: Answerable): Promise<void>;
}

/** `otherwise` offers the form if it is too late to open it directly. */
export interface FormReply {
  form: APIModalInteractionResponseCallbackData;
  otherwise: Reply;
}

/** Discord waits three seconds for the first answer; one second is left for the network. */
const patienceMs = 2_000;

/** Waits for `work` and acknowledges the interaction if it is slow. After that, a form can't be the answer. */
export async function acknowledgeIfSlow<T>(interaction: Answerable, work: Promise<T>): Promise<T> {
  const isSlow = await Promise.race([work.then(() => false), delay(patienceMs, true, { ref: false })]);
  const [result] = await Promise.all([work, isSlow ? acknowledge(interaction) : undefined]);
  return result;
}

/** Sends the answer to an acknowledged or new interaction. It is private, or replaces a private message. */
export async function send(interaction: Answerable, answer: Answer): Promise<void> {
  if ('form' in answer) {
    if (interaction.deferred || interaction.isModalSubmit()) await send(interaction, answer.otherwise);
    else await interaction.showModal(answer.form);
  } else if ('follow' in answer) {
    await send(interaction, answer.reply);
    await answer.follow(interaction);
  } else if (interaction.deferred) await interaction.editReply(answer);
  else if (isOnPrivateMessage(interaction)) await interaction.update(answer);
  else await interaction.reply({ ...answer, flags: MessageFlags.Ephemeral });
}

export async function acknowledge(interaction: Answerable): Promise<void> {
  if (isOnPrivateMessage(interaction)) await interaction.deferUpdate();
  else await interaction.deferReply({ flags: MessageFlags.Ephemeral });
}

/** Whether the interaction comes from a component in a private or direct message, visible only to this person. */
export function isOnPrivateMessage(
  interaction: Answerable,
): interaction is MessageComponentInteraction | ModalMessageModalSubmitInteraction {
  const onMessage = interaction.isMessageComponent() || (interaction.isModalSubmit() && interaction.isFromMessage());
  // discord.js doesn't cache direct messages. Such messages arrive as plain data with numeric flags.
  return onMessage && (interaction.guildId === null || interaction.message.flags.has(MessageFlags.Ephemeral));
}
