import type { SlashCommandBuilder } from 'discord.js';
import {
  dropImportDraft,
  type ImportDraft,
  importFormats,
  keepImportDraft,
  readImportDraft,
} from '../../features/mappings/import-draft.js';
import { importMappings } from '../../features/mappings/import-service.js';
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

/** As much as over the API (SPEC §3). */
const largestFile = 64 * 1024;

/** The options of /import: a file and what it is from; without, a form asks for a text. */
export function addImportOptions(command: SlashCommandBuilder): void {
  const choices = importFormats.options.map((value) => ({ name: t(`import.from_${value}`), value }));
  command
    .addAttachmentOption((file) => file.setName('file').setDescription(t('option.import_file')))
    .addStringOption((from) => from.setName('from').setDescription(t('option.import_from')).addChoices(choices));
}

/** Asks for a text in a form, or says what importing the given file would do. Throws as `importMappings` does. */
export async function importByCommand(use: CommandUse): Promise<Answer> {
  const file = use.options.getAttachment('file');
  if (file === null) return importForm('command');
  const from = importFormats.safeParse(use.options.getString('from'));
  if (!from.success) throw new InvalidRequest([{ path: 'from', message: t('import.from_needed') }]);
  const text = await readGivenFile(file, largestFile);
  return reviewImport(use, { guildId: use.guild._id, format: from.data, text }, 'command');
}

/** Says what importing a text would do, and keeps it until that is confirmed. Throws as `importMappings` does. */
export async function reviewImport({ guild, actor }: Entrance, draft: ImportDraft, from: ImportedFrom): Promise<Reply> {
  const { format, text } = draft;
  const plan = await importMappings(guild, actor, { format, text, addGroups: true, dryRun: true });
  await keepImportDraft(draft);
  return importReview(plan, from);
}

/** Imports the text that waits, and goes on with the setup that it was given in. Throws as `importMappings` does. */
export async function applyImport(entrance: Entrance, isOfSetup: boolean): Promise<Reply> {
  const { guild, actor } = entrance;
  const { format, text } = await readImportDraft(guild._id);
  const done = async (): Promise<string> => {
    const { created } = await importMappings(guild, actor, { format, text, addGroups: true, dryRun: false });
    await dropImportDraft(guild._id);
    return t('import.done', { count: created.length });
  };
  if (!isOfSetup) return changing(entrance, async () => card(t('import.title'), [await done()], 'fine', []));
  const words = await done();
  await openSetup(guild, null);
  return showStep(entrance, await changeSetup(guild._id, { groupId: null }), 'verified', [words]);
}
