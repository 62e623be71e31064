/** The database can't be opened; the message says in words why, and what to do. Boot prints it and ends. */
export class DatabaseStartError extends Error {
  override readonly name = 'DatabaseStartError';
}
