import { reviewImport } from '../src/edges/interactions/command-import.js';
import { form } from '../src/edges/interactions/press.js';
import { importFormats } from '../src/features/mappings/import-draft.js';

/** The text of another bot was sent: shows what importing it would do. */
export const SubmitImport = form('import', { as: 'manager' }, async (press) => {
  const { guild, interaction, state } = press;
  const [format] = interaction.fields.getStringSelectValues('format');
  const text = interaction.fields.getTextInputValue('text');
  const draft = { guildId: guild._id, format: importFormats.parse(format), text };
  return reviewImport(press, draft, state[0] === 'setup' ? 'setup' : 'command');
});
