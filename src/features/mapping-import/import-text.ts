import { InvalidRequest } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';
import { linkSourceNames } from '../../platforms/link-sources/link-sources.js';
import { parseBloxlink } from './import-bloxlink.js';
import { parseCsv } from './import-csv.js';
import type { ParsedImport } from './import-proposal.js';
import { parseRover } from './import-rover.js';
import { parseRowifi } from './import-rowifi.js';

const parsers = { csv: parseCsv, bloxlink: parseBloxlink, rover: parseRover, rowifi: parseRowifi };

/**
 * Reads a text with mappings: a CSV list, or the output of another bot. Throws InvalidRequest for a malformed text, and
 * for one of another bot in which no line is a bind: one sentence instead of one about each line (CONF-45).
 */
export function parseImportText(format: keyof typeof parsers, text: string): ParsedImport {
  const parsed = parsers[format](text);
  const { proposals, refused } = parsed;
  const isUnread = refused.length > 0 && refused.every(({ code }) => code === 'not_understood');
  if (format === 'csv' || proposals.length > 0 || !isUnread) return parsed;
  const message = t('import_text.unread_form', { bot: linkSourceNames[format] });
  throw new InvalidRequest([{ path: 'text', message }]);
}
