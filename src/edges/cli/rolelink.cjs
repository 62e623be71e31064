#!/usr/bin/env node
// `npx rolelink`, `npm run rolelink --`, and `rolelink` in the image: sets up what is missing, and runs one command.

const { prepare, requireNode } = require('./setup.cjs');

const root = `${__dirname}/../../..`;

/** The script of each command, the files it needs compiled, and its help. */
const commands = {
  start: {
    script: 'src/main.js',
    about: 'Starts the service, as `npm start` does. It ends with Ctrl+C or SIGTERM.',
  },
  demo: {
    script: 'test/demo/demo.js',
    needs: 'all',
    usage: '[--once]',
    about: 'Plays the main story against local stand-ins for Discord, Roblox and Stripe, and stays up.',
    more: '  --once   end after the story, with exit code 0 only if every step came true',
  },
  token: {
    script: 'src/edges/cli/mint-token.js',
    usage: '--guild ID|* --role viewer|manager|admin|owner|verifier --name NAME, or --revoke tok_…',
    about: 'Makes a bot token and prints it, once; or revokes one. Works beside a running service.',
    more: "  --guild '*' makes a token for all servers",
  },
  doctor: {
    script: 'src/edges/cli/run-doctor.js',
    usage: '[--report]',
    about: 'Looks at the whole set-up, and says for each thing that is wrong what to click.',
    more:
      '  --report   print one text for an issue: versions, codes and counts, no secret and no id\n' +
      '  The exit code is 1 when something is broken. Secrets are not shown.',
  },
  backup: {
    script: 'src/edges/cli/run-backup.js',
    usage: 'FILE',
    about: 'Writes the whole database, and the keys of DATA_DIR, to a new file. Works beside a running service.',
  },
  restore: {
    script: 'src/edges/cli/run-restore.js',
    usage: 'FILE [--replace]',
    about: 'Puts a backup into the database of this environment. Stop the service first.',
    more: '  --replace   also where there are documents or other keys',
  },
  keys: {
    script: 'src/edges/cli/run-keys.js',
    usage: '[--from FILE | --accept]',
    about: 'Says whether the keys of this environment are those that the data was written with.',
    more:
      '  --from FILE   put the keys of a backup into DATA_DIR; the data stays\n' +
      '  --accept      go on with these keys: what only the old ones can read is lost. Stop the service first.',
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
    about: 'Prints the version, the commit that it was built of, and the version of Node.',
  },
};

function listCommands() {
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(8)} ${about}`);
  return `Usage: rolelink COMMAND [OPTIONS]\n\n${lines.join('\n')}\n\nrolelink COMMAND --help tells more.\n`;
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
  run(name, `${root}/dist/${command.script}`);
}

/** Runs a script in this process, as if Node had been started with it. */
function run(name, path) {
  const { existsSync, realpathSync } = require('node:fs');
  const { pathToFileURL } = require('node:url');
  if (!existsSync(path)) {
    tell(`rolelink ${name} is not in this image. It runs in a clone of the repository.\n`, false);
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
