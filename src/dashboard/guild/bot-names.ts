import type { Schemas } from '../../client/api-types.js';
import type { Words } from '../i18n/words.js';
import { botNames } from './import-bots.js';

/** The source of an imported account: the name of a bot, or "a server's list". */
export const sourceWords = (source: Schemas['Account']['importedFrom'], t: Words['t']): string =>
  source === null || source === 'list' ? t('me.imported_list') : botNames[source];
