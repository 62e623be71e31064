import { setTimeout as delay } from 'node:timers/promises';
import {
  type CommandInteraction,
  type MessageComponentInteraction,
  MessageFlags,
  type ModalMessageModalSubmitInteraction,
  type ModalSubmitInteraction,
} from 'discord.js';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { withLogContext } from '../../lib/logger.js';
import { inGuildLanguage } from './guild-language.js';
import type { Reply } from './reply.js';

/** Something that a person did and that a message answers. */
export type Answerable = CommandInteraction | MessageComponentInteraction | ModalSubmitInteraction;

/** Discord waits three seconds for the first answer; this leaves one for the way. */
const patienceMs = 2_000;

/**
 * Acknowledges at once and then answers with what `work` makes: for that person alone, and in place of the message when
 * what they pressed is on one that only they can see. `work` gets the guild's settings, as `inGuildLanguage` says.
 */
export async function answer(
  interaction: Answerable,
  work: (settings: GuildSettings | null) => Promise<Reply>,
): Promise<void> {
  await withLogContext({ interactionId: interaction.id }, async () => {
    await acknowledge(interaction);
    await inGuildLanguage(interaction, async (settings) => interaction.editReply(await work(settings)));
  });
}

/** Waits for `work`, and acknowledges meanwhile if it is slow; a form can then no longer be the answer. */
export async function acknowledgeIfSlow<T>(interaction: Answerable, work: Promise<T>): Promise<T> {
  const isSlow = await Promise.race([work.then(() => false), delay(patienceMs, true, { ref: false })]);
  const [result] = await Promise.all([work, isSlow ? acknowledge(interaction) : undefined]);
  return result;
}

/** Sends the answer, as `answer` does, whether it has been acknowledged or not. */
export async function send(interaction: Answerable, reply: Reply): Promise<void> {
  if (interaction.deferred) await interaction.editReply(reply);
  else if (isOnPrivateMessage(interaction)) await interaction.update(reply);
  else await interaction.reply({ ...reply, flags: MessageFlags.Ephemeral });
}

async function acknowledge(interaction: Answerable): Promise<void> {
  if (isOnPrivateMessage(interaction)) await interaction.deferUpdate();
  else await interaction.deferReply({ flags: MessageFlags.Ephemeral });
}

/** Whether it comes from a component of a message that only this person can see. */
export function isOnPrivateMessage(
  interaction: Answerable,
): interaction is MessageComponentInteraction | ModalMessageModalSubmitInteraction {
  const onMessage = interaction.isMessageComponent() || (interaction.isModalSubmit() && interaction.isFromMessage());
  return onMessage && interaction.message.flags.has(MessageFlags.Ephemeral);
}
