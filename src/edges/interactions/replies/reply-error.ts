import { MessageFlags } from 'discord.js';
import { AppError, InvalidRequest, type Issue } from '../../../lib/errors.js';
import { logger, withLogContext } from '../../../lib/logger.js';
import { internalErrors } from '../../../lib/metrics.js';
import { t } from '../../../lib/translate.js';
import { refusalWords } from '../../../lib/translate-refusal.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { isAnsweredElsewhere } from '../answered-elsewhere.js';
import { optionOfSetting } from '../commands/command-settings-options.js';
import { inPersonsLanguage } from '../person-language.js';
import { note, type StateColor } from './reply.js';
import { type Answerable, isOnPrivateMessage } from './reply-answer.js';

/**
 * Explains a failure to the person. A private message with the pressed button stays, so the button can be pressed
 * again. No reply is sent if Discord no longer accepts one. Faults are logged, and the person sees only the
 * interaction's id.
 */
export async function replyError(interaction: Answerable, error: unknown): Promise<void> {
  await withLogContext({ interactionId: interaction.id }, async () => {
    if (isAnsweredElsewhere(error)) return;
    if (!(error instanceof AppError)) {
      internalErrors.inc({ place: 'interaction' });
      logger.error({ err: error }, 'interaction failed');
    }
    try {
      await inPersonsLanguage(interaction, () => send(interaction, wordsOf(error, interaction.id), stateOf(error)));
    } catch (failure) {
      if (!isAnsweredElsewhere(failure)) logger.warn({ err: failure }, 'refusal not shown');
    }
  });
}

async function send(interaction: Answerable, words: string, state: StateColor): Promise<void> {
  const message = note(state, words);
  if (!interaction.deferred && !interaction.replied) {
    await interaction.reply({ ...message, flags: MessageFlags.Ephemeral });
  } else if (isOnPrivateMessage(interaction)) {
    await interaction.followUp({ ...message, flags: MessageFlags.Ephemeral });
  } else {
    await interaction.editReply(message);
  }
}

/** A problem that the person can solve or wait out is not shown as trouble. */
const stateOf = (error: unknown): StateColor => (error instanceof AppError ? 'attention' : 'trouble');

/** The text for an error. `id` identifies the fault in the log. */
function wordsOf(error: unknown, id: string): string {
  if (!(error instanceof AppError)) return t('error.fault', { id });
  if (error instanceof InvalidRequest) return [t('error.invalid'), ...error.issues.map(issueLine)].join('\n');
  return verbatim(refusalWords(error));
}

/** The command options that correspond to the API's fields. */
const optionNames: Readonly<Record<string, string>> = {
  url: 'group',
  groupId: 'group',
  gameRoleId: 'game_role',
  min: 'rank_min',
  max: 'rank_max',
  roleIds: 'role',
  template: 'nickname_template',
  logChannelId: 'log_channel',
  channelId: 'channel',
};

function issueLine({ path, message }: Issue): string {
  const field = path.split('.').findLast((step) => step in optionNames) ?? path;
  return `- ${optionOfSetting(path) ?? optionNames[field] ?? field}: ${verbatim(message)}`;
}
