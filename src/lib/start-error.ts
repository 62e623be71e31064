/** Something that the service needs to start is wrong. Boot prints the message, which says what and how to fix it. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}

/** The environment does not make a working configuration. The message lists every mistake, one line each. */
export class ConfigError extends StartError {
  override readonly name = 'ConfigError';
}

/** The database can't be opened. */
export class DatabaseStartError extends StartError {
  override readonly name = 'DatabaseStartError';
}
