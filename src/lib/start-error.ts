/** A fault in the requirements for a start. Boot prints the message, which contains the remedy. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}

/** The environment is not a valid configuration. The message lists every mistake, one per line. */
export class ConfigError extends StartError {
  override readonly name = 'ConfigError';
}

export class DatabaseStartError extends StartError {
  override readonly name = 'DatabaseStartError';
}

const diskFaults: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: "this user can't write there",
  EPERM: "this user can't write there",
  EROFS: 'the disk is read-only',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'part of its path is a file',
  EISDIR: 'it is a folder',
  EMFILE: 'this process may open too few files: raise `ulimit -n`',
};

/** The reason in a file system error about a file, with its code; undefined for any other error. */
export function fileFault(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return undefined;
  if (!/^E[A-Z]+$/.test(String(error.code))) return undefined;
  return `${diskFaults[String(error.code)] ?? error.message} (${error.code})`;
}

/** Why a variable's `folder` can't be used, from a file system error; undefined for any other error. */
export function diskFault(folder: string, error: unknown, variable = 'DATA_DIR'): string | undefined {
  if (!(error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code)))) return undefined;
  return `${folder} (${variable}) isn't writable: ${diskFaults[String(error.code)] ?? error.message} (${error.code}).`;
}
