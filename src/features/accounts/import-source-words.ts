import { t } from '../../lib/translate.js';
import type { ImportSource } from './account-model.js';

const botNames = { bloxlink: 'Bloxlink', rover: 'RoVer', rowifi: 'RoWifi' } as const;

/** The source of an imported account: the name of a bot, or "a list of this server". */
export const importSourceInWords = (source: ImportSource): string =>
  source === 'list' ? t('import.source_list') : botNames[source];
