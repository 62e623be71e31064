import { AppError } from '../../lib/errors.js';
import { fileFault, StartError } from '../../lib/start-error.js';
import { isDatabaseTrouble } from '../../platforms/database/database-trouble.js';

/** A command's message for an error. Only an unexpected error shows its stack. */
export function errorInWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // TypeError: arguments unknown to the command.
  if (error instanceof StartError || error instanceof AppError || error instanceof TypeError) return error.message;
  if (isDatabaseTrouble(error)) return `The database stopped responding, so this didn't finish: ${error.message}`;
  return fileFault(error) === undefined ? (error.stack ?? error.message) : error.message;
}
