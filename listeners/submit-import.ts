import { showImport } from '../src/edges/interactions/commands/command-import.js';
import { form } from '../src/edges/interactions/press.js';
import { importFormat } from '../src/features/mapping-import/import-view.js';
import { InvalidRequest } from '../src/lib/errors.js';
import { t } from '../src/lib/translate.js';

/** Another bot's exported text was sent: shows its effect when imported. */
export const SubmitImport = form('import', { as: 'manager' }, async (press) => {
  const { interaction, state } = press;
  const [format] = interaction.fields.getStringSelectValues('format');
  const text = interaction.fields.getTextInputValue('text');
  const from = importFormat.safeParse(format);
  if (!from.success) throw new InvalidRequest([{ path: 'from', message: t('import.from_needed') }]);
  return showImport(press, { format: from.data, text }, state[0] === 'move' ? 'move' : 'command');
});
