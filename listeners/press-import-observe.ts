import { applyImport } from '../src/edges/interactions/commands/command-import.js';
import { observeFrom } from '../src/edges/interactions/other-bots-question.js';
import { button } from '../src/edges/interactions/press.js';

/** *Observe first*, under a mapping import's review where another bot may give roles. */
export const PressImportObserve = button('import-observe', { as: 'admin' }, async (press) => {
  const [from, key = ''] = press.state;
  await observeFrom(press);
  return applyImport(press, key, from === 'move');
});
