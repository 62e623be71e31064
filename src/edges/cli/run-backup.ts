import { parseArgs } from 'node:util';
import { backUp, onlyFile, runDataCommand } from './stored-data.js';

// `rolelink backup FILE`
await runDataCommand((config) => backUp(config, onlyFile(parseArgs({ allowPositionals: true }).positionals, 'backup')));
