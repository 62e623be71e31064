import { AppError } from '../../lib/errors.js';
import { fileFault, StartError } from '../../lib/start-error.js';
import { isDatabaseTrouble } from '../../platforms/database/database-trouble.js';

/** What a command says of an error. Only one that nobody expects shows where it comes from. */
export function errorInWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // TypeError: arguments that a command does not know.
  if (error instanceof StartError || error instanceof AppError || error instanceof TypeError) return error.message;
  if (isDatabaseTrouble(error)) return `The database does not answer any more, so this did not end: ${error.message}`;
  return fileFault(error) === undefined ? (error.stack ?? error.message) : error.message;
}
