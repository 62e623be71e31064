import { parseArgs } from 'node:util';
import { ConfigError } from '../../lib/start-error.js';
import { migrate, runDataCommand } from './stored-data.js';

// `rolelink migrate --to MONGODB_URI`
await runDataCommand(async (config) => {
  const { to = '' } = parseArgs({ options: { to: { type: 'string' } } }).values;
  if (!/^mongodb(\+srv)?:\/\//.test(to)) throw new ConfigError('--to must start with mongodb:// or mongodb+srv://.');
  return migrate(config, to);
});
