import type { Schemas } from '../../client/api-types.js';
import type { Words } from '../i18n/words.js';
import { botNames } from './import-bots.js';

/** An imported account's source: a bot's name, or "a server's list". */
export const sourceWords = (source: Schemas['Account']['importedFrom'], t: Words['t']): string =>
  source === null || source === 'list' ? t('me.imported_list') : botNames[source];
