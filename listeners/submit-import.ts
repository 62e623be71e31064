import { showImport } from '../src/edges/interactions/command-import.js';
import { form } from '../src/edges/interactions/press.js';
import { importFormat } from '../src/features/mapping-import/import-view.js';

/** Another bot's exported text was sent: shows the effect of importing it. */
export const SubmitImport = form('import', { as: 'manager' }, async (press) => {
  const { interaction, state } = press;
  const [format] = interaction.fields.getStringSelectValues('format');
  const text = interaction.fields.getTextInputValue('text');
  return showImport(press, { format: importFormat.parse(format), text }, state[0] === 'setup' ? 'setup' : 'command');
});
