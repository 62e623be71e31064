import { t } from '../../lib/translate.js';
import { linkSourceNames } from '../../platforms/link-sources/link-sources.js';
import type { ImportSource } from './account-model.js';

/** An imported account's source: a bot's name, or "a list of this server". */
export const importSourceInWords = (source: ImportSource): string =>
  source === 'list' ? t('import.source_list') : linkSourceNames[source];
