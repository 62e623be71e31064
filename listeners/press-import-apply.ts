import { applyImport } from '../src/edges/interactions/commands/command-import.js';
import { button } from '../src/edges/interactions/press.js';

export const PressImportApply = button('import-apply', { as: 'manager' }, (press) => {
  const [from, key = ''] = press.state;
  return applyImport(press, key, from === 'move');
});
