import type { SlashCommandBuilder } from 'discord.js';
import { config } from '../../../config/config.js';
import { findGroups } from '../../../core/groups/group-service.js';
import { importSourceInWords } from '../../../features/accounts/import-source-words.js';
import { type GivenImport, importReviewed, reviewImport } from '../../../features/mapping-import/import-review.js';
import { mostBytes } from '../../../features/mapping-import/import-service.js';
import { importFormat } from '../../../features/mapping-import/import-view.js';
import { InvalidRequest } from '../../../lib/errors.js';
import { t } from '../../../lib/translate.js';
import { readGivenFile } from '../../../platforms/discord/attachments.js';
import { showMove } from '../move-actions.js';
import { card, type Reply } from '../replies/reply.js';
import type { Answer } from '../replies/reply-answer.js';
import { changing } from '../replies/reply-change.js';
import { type ImportedFrom, importReview } from '../replies/reply-import.js';
import { importForm } from '../setup/setup-forms.js';
import type { Entrance } from './command-access.js';
import type { CommandUse } from './command-in-guild.js';
import { importPeopleByCommand } from './command-people-import.js';

/** Adds the options of /import: a file and its source. Without a file, a form asks for the text. */
export function addImportOptions(command: SlashCommandBuilder): void {
  const choices = importFormat.options.map((value) => ({ name: t(`import.from_${value}`), value }));
  command
    .addAttachmentOption((file) => file.setName('file').setDescription(t('option.import_file')))
    .addStringOption((from) => from.setName('from').setDescription(t('option.import_from')).addChoices(choices))
    .addStringOption((people) =>
      people.setName('people').setDescription(t('option.import_people')).addChoices(peopleChoices()),
    );
}

/** A list, and the bots that the operator has switched on (PEOPLE-10). */
const peopleChoices = () => [
  { name: t('people.from_list'), value: 'list' },
  ...config().peopleImport.from.map((value) => ({ name: importSourceInWords(value), value })),
];

/**
 * Opens a form for the text, or shows the given file's effect: mappings, or with `people` members' accounts. Throws as
 * `reviewImport` and `reviewPeople` do.
 */
export async function importByCommand(use: CommandUse): Promise<Answer> {
  const people = use.options.getString('people');
  if (people !== null) return importPeopleByCommand(use, people);
  const file = use.options.getAttachment('file');
  if (file === null) return importForm('command');
  const from = importFormat.safeParse(use.options.getString('from'));
  if (!from.success) throw new InvalidRequest([{ path: 'from', message: t('import.from_needed') }]);
  const text = await readGivenFile(file, mostBytes);
  return showImport(use, { format: from.data, text }, 'command');
}

/** Shows an import's effect and keeps the review until it is confirmed. Throws as `reviewImport` does. */
export async function showImport({ guild, actor }: Entrance, given: GivenImport, from: ImportedFrom): Promise<Reply> {
  const review = await reviewImport(guild, actor, given);
  return importReview(review, from, await findGroups(guild._id));
}

/**
 * Imports the review stored under `key`, then shows the way from another bot if it belongs to it. Throws as
 * `importReviewed` does.
 */
export async function applyImport(entrance: Entrance, key: string, isOfMove: boolean): Promise<Answer> {
  const { guild, actor } = entrance;
  const done = async (): Promise<string> => {
    const { created } = await importReviewed(guild, actor, key);
    return t('import.done', { count: created.length });
  };
  if (!isOfMove) return changing(entrance, async () => card(t('import.title'), [await done()], 'fine', []));
  return showMove(entrance, [await done()]);
}
