import type { SlashCommandBuilder } from 'discord.js';
import { findGroups } from '../../core/groups/group-service.js';
import { type GivenImport, importReviewed, reviewImport } from '../../features/mapping-import/import-review.js';
import { importFormat } from '../../features/mapping-import/import-view.js';
import { changeSetup, openSetup } from '../../features/setup/setup-service.js';
import { InvalidRequest } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';
import { readGivenFile } from '../../platforms/discord/attachments.js';
import type { Entrance } from './command-access.js';
import type { CommandUse } from './command-in-guild.js';
import { card, type Reply } from './reply.js';
import type { Answer } from './reply-answer.js';
import { changing } from './reply-change.js';
import { type ImportedFrom, importReview } from './reply-import.js';
import { importForm } from './setup-forms.js';
import { showStep } from './setup-pages.js';

/** As much as over the API (CONF-27). */
const largestFile = 64 * 1024;

/** The options of /import: a file and what it is from; without, a form asks for a text. */
export function addImportOptions(command: SlashCommandBuilder): void {
  const choices = importFormat.options.map((value) => ({ name: t(`import.from_${value}`), value }));
  command
    .addAttachmentOption((file) => file.setName('file').setDescription(t('option.import_file')))
    .addStringOption((from) => from.setName('from').setDescription(t('option.import_from')).addChoices(choices));
}

/** Asks for a text in a form, or says what importing the given file would do. Throws as `reviewImport` does. */
export async function importByCommand(use: CommandUse): Promise<Answer> {
  const file = use.options.getAttachment('file');
  if (file === null) return importForm('command');
  const from = importFormat.safeParse(use.options.getString('from'));
  if (!from.success) throw new InvalidRequest([{ path: 'from', message: t('import.from_needed') }]);
  const text = await readGivenFile(file, largestFile);
  return showImport(use, { format: from.data, text }, 'command');
}

/** Says what importing a text would do, and keeps that until it is confirmed. Throws as `reviewImport` does. */
export async function showImport({ guild, actor }: Entrance, given: GivenImport, from: ImportedFrom): Promise<Reply> {
  const review = await reviewImport(guild, actor, given);
  return importReview(review, from, await findGroups(guild._id));
}

/** Imports what the review of `key` has shown, and goes on with the setup that it was given in. Throws as `importReviewed` does. */
export async function applyImport(entrance: Entrance, key: string, isOfSetup: boolean): Promise<Reply> {
  const { guild, actor } = entrance;
  const done = async (): Promise<string> => {
    const { created } = await importReviewed(guild, actor, key);
    return t('import.done', { count: created.length });
  };
  if (!isOfSetup) return changing(entrance, async () => card(t('import.title'), [await done()], 'fine', []));
  const words = await done();
  await openSetup(guild, null);
  return showStep(entrance, await changeSetup(guild._id, { groupId: null }), 'verified', [words]);
}
