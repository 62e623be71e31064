#!/usr/bin/env node
// `npx rolelink`, `npm run rolelink --`, and `rolelink` in the image: sets up what is missing, and runs one command.

const { prepare, requireNode } = require('./setup.cjs');

const root = `${__dirname}/../../..`;

/** The script of each command, the files it needs compiled, and its help. */
const commands = {
  start: {
    script: 'src/main.js',
    usage: '[--backup FOLDER]',
    about: 'Starts the service, as `npm start` does. Ctrl+C or SIGTERM stops it.',
    more: '  --backup FOLDER   before an upgrade changes the stored data, back it up to a file in this folder',
  },
  demo: {
    script: 'test/demo/demo.js',
    needs: 'all',
    usage: '[--once]',
    about: 'Plays a demo against local stand-ins for Discord, Roblox and Stripe, then stays up.',
    more: '  --once   stop after the demo; the exit code is 0 only if every step worked',
  },
  token: {
    script: 'src/edges/cli/mint-token.js',
    usage: '--guild ID|* --role viewer|manager|admin|owner|game|verifier --name NAME, or --revoke tok_…',
    about: 'Creates a bot token and prints it once, or revokes one. The service may be running.',
    more: "  --guild '*' creates a token for all servers",
  },
  doctor: {
    script: 'src/edges/cli/run-doctor.js',
    usage: '[--report]',
    about: 'Checks the installation and prints a remedy for each problem.',
    more:
      '  --report   print a report for a GitHub issue: versions, codes and counts, without secrets or IDs\n' +
      '  The exit code is 1 if something is broken. Secrets are never shown.',
  },
  backup: {
    script: 'src/edges/cli/run-backup.js',
    usage: 'FILE',
    about: 'Writes the whole database and the keys in DATA_DIR to a new file. The service may be running.',
  },
  restore: {
    script: 'src/edges/cli/run-restore.js',
    usage: 'FILE [--replace]',
    about: 'Restores a backup into the configured database. Stop the service first.',
    more: '  --replace   overwrite existing documents and keys',
  },
  keys: {
    script: 'src/edges/cli/run-keys.js',
    usage: '[--from FILE | --accept]',
    about: 'Checks whether the configured keys match the stored data.',
    more:
      '  --from FILE   restore the keys of a backup into DATA_DIR; the data stays\n' +
      '  --accept      keep the current keys: data encrypted with the old ones is lost. Stop the service first.',
  },
  migrate: {
    script: 'src/edges/cli/run-migrate.js',
    usage: '--to MONGODB_URI',
    about: 'Copies the embedded database to an empty one on a MongoDB server. Stop the service first.',
  },
  openapi: {
    script: 'src/edges/cli/print-openapi.js',
    about: 'Prints the OpenAPI document.',
  },
  version: {
    script: 'src/edges/cli/print-version.js',
    about: 'Prints the version, the commit it was built from, and the Node version.',
  },
};

function listCommands() {
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(8)} ${about}`);
  return `Usage: rolelink COMMAND [OPTIONS]\n\n${lines.join('\n')}\n\nRun rolelink COMMAND --help for details.\n`;
}

function help(name, { about, usage = '', more = '' }) {
  return `Usage: ${`rolelink ${name} ${usage}`.trim()}\n\n${about}\n${more === '' ? '' : `${more}\n`}`;
}

/** Prints help where it was asked for, and on standard error, with exit code 1, where the command is not known. */
function tell(text, isAnswer) {
  process[isAnswer ? 'stdout' : 'stderr'].write(text);
  process.exitCode = isAnswer ? 0 : 1;
}

function main(args) {
  requireNode();
  const [name = '--help'] = args;
  const asksHelp = name === '--help' || args.includes('--help');
  if (!Object.keys(commands).includes(name)) {
    tell(`${asksHelp ? '' : `There is no command ${name}.\n\n`}${listCommands()}`, asksHelp);
    return;
  }
  const command = commands[name];
  if (asksHelp) {
    tell(help(name, command), true);
    return;
  }
  prepare(command.needs || 'service');
  requireOpenFiles();
  run(name, `${root}/dist/${command.script}`);
}

/** Ends the process, in one sentence, where Linux lets it open too few files to load all modules (ENV-41). */
function requireOpenFiles() {
  const { readFileSync } = require('node:fs');
  const least = 256;
  try {
    const [, limit = ''] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) || [];
    if (limit === '' || Number(limit) >= least) return;
    tell(`Rolelink may open only ${limit} files. Raise the limit to ${least} or more: ulimit -n 4096\n`, false);
    process.exit(1);
  } catch {
    // Another system has no such file.
  }
}

/** Runs a script in this process, as if Node had been started with it. */
function run(name, path) {
  const { existsSync, realpathSync } = require('node:fs');
  const { pathToFileURL } = require('node:url');
  if (!existsSync(path)) {
    tell(`rolelink ${name} isn't part of this image. Run it in a clone of the repository.\n`, false);
    return;
  }
  const script = realpathSync(path);
  require('./source-maps.cjs');
  // Node 22.1 and later keep compiled code there, which saves a sixth of a start. A folder that is not writable does no harm.
  const { enableCompileCache } = require('node:module');
  if (enableCompileCache) enableCompileCache(`${root}/node_modules/.cache/node`);
  if (name === 'start' && process.env.npm_lifecycle_event === 'start') endWithNpm();
  process.argv.splice(1, 2, script);
  import(pathToFileURL(script).href).catch((error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exitCode = 1;
  });
}

/**
 * Stops the service in order once the shell of `npm start` is gone: a signal ends npm and that shell, but is not passed
 * on. On Windows the id of a parent stays.
 */
function endWithNpm() {
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 1_000);
  timer.unref();
}

main(process.argv.slice(2));
