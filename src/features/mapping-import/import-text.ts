import { InvalidRequest } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';
import { linkSourceNames } from '../../platforms/link-sources/link-sources.js';
import { parseBloxlink } from './import-bloxlink.js';
import { parseCsv } from './import-csv.js';
import type { ParsedImport } from './import-proposal.js';
import { parseRover } from './import-rover.js';
import { parseRowifi } from './import-rowifi.js';
import type { ImportFormat } from './import-view.js';

/** Each format's reader, and the bot that writes it. */
const forms: Readonly<Record<ImportFormat, { read(text: string): ParsedImport; bot?: string }>> = {
  csv: { read: parseCsv },
  bloxlink: { read: parseBloxlink, bot: linkSourceNames.bloxlink },
  rover: { read: parseRover, bot: linkSourceNames.rover },
  rowifi: { read: parseRowifi, bot: linkSourceNames.rowifi },
};

/**
 * Reads a text with mappings: a CSV list, or another bot's output. Throws InvalidRequest for a malformed text, and for
 * another bot's in which no line is a bind: one sentence instead of one about each line (CONF-45).
 */
export function parseImportText(format: ImportFormat, text: string): ParsedImport {
  const { read, bot } = forms[format];
  const parsed = read(text);
  const { proposals, refused } = parsed;
  const isUnread = refused.length > 0 && refused.every(({ code }) => code === 'not_understood');
  if (bot === undefined || proposals.length > 0 || !isUnread) return parsed;
  const message = t('import_text.unread_form', { bot });
  throw new InvalidRequest([{ path: 'text', message }]);
}
