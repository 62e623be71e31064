import { parseArgs } from 'node:util';
import { onlyFile, restore, runDataCommand } from './stored-data.js';

// `rolelink restore FILE [--replace]`
await runDataCommand((config) => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { replace: { type: 'boolean' } } });
  return restore(config, onlyFile(positionals, 'restore'), values.replace === true);
});
