import type { Schemas } from '../../../client/api-types.js';

type Row = Pick<
  Schemas['Member'],
  'memberId' | 'chatUsername' | 'gameUserId' | 'gameUsername' | 'status' | 'linkedAt' | 'lastSync'
>;

const heading = 'chatUserId,gameUserId,chatUsername,gameUsername,status,linkedAt,lastSyncAt';

/** A spreadsheet reads a cell with such a beginning as a formula. */
const isFormula = /^[=+\-@\t\r]/;

const cell = (value: string | null | undefined): string => {
  const text = value ?? '';
  const safe = isFormula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** People as CSV (RFC 4180). The first two columns are those that a people import reads. */
export const membersCsv = (members: readonly Row[]): string =>
  [
    heading,
    ...members.map(({ memberId, gameUserId, chatUsername, gameUsername, status, linkedAt, lastSync }) =>
      [memberId, gameUserId, chatUsername, gameUsername, status, linkedAt, lastSync?.at].map(cell).join(','),
    ),
  ]
    .map((line) => `${line}\r\n`)
    .join('');
