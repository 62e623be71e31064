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

/** Something that a person did and that a message answers. */
export type Answerable = CommandInteraction | MessageComponentInteraction | ModalSubmitInteraction;

/** A message, one that is kept up to date afterwards, or a form. */
export type Answer = Reply | FollowedReply | FormReply;

/** `follow` goes on editing the message, and never throws. */
export interface FollowedReply {
  reply: Reply;
  follow(interaction: Answerable): Promise<void>;
}

/** `otherwise` offers the form where it is too late to open it. */
export interface FormReply {
  form: APIModalInteractionResponseCallbackData;
  otherwise: Reply;
}

/** Discord waits three seconds for the first answer; this leaves one for the way. */
const patienceMs = 2_000;

/** Waits for `work`, and acknowledges meanwhile if it is slow; a form can then no longer be the answer. */
export async function acknowledgeIfSlow<T>(interaction: Answerable, work: Promise<T>): Promise<T> {
  const isSlow = await Promise.race([work.then(() => false), delay(patienceMs, true, { ref: false })]);
  const [result] = await Promise.all([work, isSlow ? acknowledge(interaction) : undefined]);
  return result;
}

/** Sends the answer, whether the interaction has been acknowledged or not; private, or in place of a private message. */
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

/** Tells Discord that an answer follows. */
export async function acknowledge(interaction: Answerable): Promise<void> {
  if (isOnPrivateMessage(interaction)) await interaction.deferUpdate();
  else await interaction.deferReply({ flags: MessageFlags.Ephemeral });
}

/** Whether it comes from a component of a message that only this person can see: a private or a direct one. */
export function isOnPrivateMessage(
  interaction: Answerable,
): interaction is MessageComponentInteraction | ModalMessageModalSubmitInteraction {
  const onMessage = interaction.isMessageComponent() || (interaction.isModalSubmit() && interaction.isFromMessage());
  // discord.js keeps no direct messages: one comes as plain data, whose flags are a number.
  return onMessage && (interaction.guildId === null || interaction.message.flags.has(MessageFlags.Ephemeral));
}
