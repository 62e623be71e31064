// Prepares the service, its tools and its tests: a suitable Node, the packages, and the compiled files. Plain
// JavaScript, since it runs before anything is installed, and in a Node that is too old to continue.

const root = `${__dirname}/../../..`;
const dashboard = 'src/dashboard';

/** Ends the process, in one sentence, on a Node that the packages do not run on (ENV-31). */
function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if ((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24) return;
  process.stderr.write(
    `Rolelink runs on Node 20.19 or newer, 22.12 or newer, and 24; this is ${process.versions.node}. Install Node 24: https://nodejs.org\n`,
  );
  process.exit(1);
}

/**
 * The package `rolelink-client` in dist/rolelink-client, or in CLIENT_FOLDER, ready for `npm pack`: what integrators
 * install.
 */
function buildClient() {
  const { copyFileSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
  const folder = require('node:path').resolve(root, process.env.CLIENT_FOLDER || 'dist/rolelink-client');
  rmSync(folder, { recursive: true, force: true });
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'src/client', '--sourceMap', 'false'];
  run(process.execPath, [...tsc, '--outDir', folder]);
  const commonJs = ['--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false'];
  run(process.execPath, [...tsc, ...commonJs, '--outDir', `${folder}/cjs`]);
  writeFileSync(`${folder}/cjs/package.json`, '{ "type": "commonjs" }\n');
  const { version } = require(`${root}/package.json`);
  const manifest = JSON.parse(readFileSync(`${root}/src/client/package.json`, 'utf8'));
  const named = { ...manifest, ...releaseNames(manifest.name), version };
  writeFileSync(`${folder}/package.json`, `${JSON.stringify(named, null, 2)}\n`);
  copyFileSync(`${root}/src/client/README.md`, `${folder}/README.md`);
  copyFileSync(`${root}/LICENSE`, `${folder}/LICENSE`);
}

/** A package's name and addresses, as a release gives them by its environment: a fork publishes its own. */
function releaseNames(name) {
  const { CLIENT_NAME: own = name, CLIENT_REPOSITORY: repository } = process.env;
  if (!repository) return { name: own };
  return {
    name: own,
    homepage: `${repository}#readme`,
    repository: { type: 'git', url: `git+${repository}.git`, directory: 'src/client' },
    bugs: `${repository}/issues`,
  };
}

/**
 * Installs and builds everything that is missing or older than its sources: `packages` alone, the `client` for
 * integrators, the `service` with its dashboard, or `all` with the tests. Does nothing without sources, as in the
 * image. Reports its steps on standard error.
 */
function prepare(what) {
  requireNode();
  const { existsSync } = require('node:fs');
  if (!existsSync(`${root}/tsconfig.json`)) return;
  if (timeOf('node_modules/.package-lock.json') <= timeOf('package-lock.json')) {
    requireWritable(what);
    say(`Installing ${countPackages()} packages …`);
    // npm itself, without a shell, where npm started this. NODE_ENV=production must not leave out the compiler.
    const npm = process.env.npm_execpath || '';
    const ci = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error', '--maxsockets=3'];
    // Without the limits npm takes 450 MB.
    const options = { env: { ...process.env, NODE_OPTIONS: '--max-old-space-size=192 --max-semi-space-size=2' } };
    if (/\.c?js$/.test(npm)) run(process.execPath, [npm, ...ci], options);
    else run('npm', ci, { ...options, shell: process.platform === 'win32' });
  }
  if (what === 'packages') return;
  if (what === 'client') {
    buildClient();
    return;
  }
  compile(what);
  buildDashboard(what);
}

/**
 * Ends the process, in one sentence, where the project can't be written: it belongs to another user, as in the systemd
 * set-up (ENV-39).
 */
function requireWritable(what) {
  const { accessSync, constants, existsSync, statSync } = require('node:fs');
  const { resolve } = require('node:path');
  const folders = ['.', 'dist', 'node_modules'].map((name) => resolve(root, name)).filter(existsSync);
  const closed = folders.find((folder) => {
    try {
      accessSync(folder, constants.W_OK);
      return false;
    } catch {
      return true;
    }
  });
  if (closed === undefined) return;
  say(
    `${closed} can't be written by ${nameOf(process.geteuid())}, and the build there is missing or older than its sources: ` +
      `run "node src/edges/cli/setup.cjs ${what}" in ${resolve(root)} as its owner, ${nameOf(statSync(closed).uid)}.`,
  );
  process.exit(1);
}

/** The name of a user, by the system's list; the number where that has none. */
function nameOf(uid) {
  const { readFileSync } = require('node:fs');
  try {
    const users = readFileSync('/etc/passwd', 'utf8').split('\n');
    return users.map((line) => line.split(':')).find(([, , id]) => id === String(uid))[0];
  } catch {
    return `user ${uid}`;
  }
}

/** The `service`, or `all` with its tests. */
function compile(what) {
  const { existsSync, readdirSync, rmSync, writeFileSync } = require('node:fs');
  const isService = what === 'service';
  const stamp = isService ? 'dist/.service-built' : 'dist/.built';
  const sources = ['src', 'commands', 'listeners', 'routes', ...(isService ? [] : ['test'])];
  const settings = ['package.json', 'tsconfig.json', 'tsconfig.service.json'];
  if (timeOf(stamp) > Math.max(...settings.map(timeOf), ...sources.map((folder) => newestIn(folder, dashboard))))
    return;
  requireWritable(what);
  say(`Building ${isService ? 'the service' : 'the service and its tests'} …`);
  // The dashboard is left out: it is built separately.
  const built = existsSync(`${root}/dist`) ? readdirSync(`${root}/dist`) : [];
  for (const name of built.filter((each) => !each.includes('dashboard')))
    rmSync(`${root}/dist/${name}`, { recursive: true, force: true });
  // Types are checked by `npm run check`: leaving that out here saves 1.6 GB of memory.
  const project = isService ? 'tsconfig.service.json' : 'tsconfig.json';
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project, '--noCheck', '--singleThreaded']);
  noteCommit();
  for (const name of isService ? [stamp] : [stamp, 'dist/.service-built']) writeFileSync(`${root}/${name}`, '');
}

/**
 * Writes the commit into dist/build.json, for the service's report of its version: git's in a repository, else the
 * variable COMMIT, as in the build of the image.
 */
function noteCommit() {
  const { spawnSync } = require('node:child_process');
  const { existsSync, writeFileSync } = require('node:fs');
  const git = existsSync(`${root}/.git`)
    ? spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
        .stdout
    : '';
  const [, commit = 'unknown'] = /^([0-9a-f]{12})[0-9a-f]*$/.exec((git || process.env.COMMIT || '').trim()) || [];
  writeFileSync(`${root}/dist/build.json`, `${JSON.stringify({ commit })}\n`);
}

function buildDashboard(what) {
  const { writeFileSync } = require('node:fs');
  const stamp = 'dist/.dashboard-built';
  const sources = [timeOf('package.json'), timeOf('vite.config.ts'), newestIn(dashboard), newestIn('src/locales')];
  if (timeOf(stamp) > Math.max(...sources, timeOf('src/lib/fill-text.ts'))) return;
  requireWritable(what);
  say('Building the dashboard …');
  // One thread and a small heap: 330 MB at the peak instead of 390, so that 512 MB of memory are enough.
  const env = { ...process.env, RAYON_NUM_THREADS: '1', NODE_OPTIONS: '--max-old-space-size=128' };
  run(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'], { env });
  writeFileSync(`${root}/${stamp}`, '');
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

/** How many packages npm installs on this system. */
function countPackages() {
  const { packages } = require(`${root}/package-lock.json`);
  const fits = (list, own) => list === undefined || list.includes(own);
  return Object.entries(packages).filter(
    ([path, { os, cpu, libc }]) =>
      path !== '' && fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, 'glibc'),
  ).length;
}

function run(program, args, options = {}) {
  const { spawnSync } = require('node:child_process');
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
  if (error) say(error.message);
  if (status !== 0) process.exit(1);
}

/** The time of a file's last change, in milliseconds since 1970; 0 for a missing file. */
function timeOf(path) {
  const { statSync } = require('node:fs');
  const stats = statSync(`${root}/${path}`, { throwIfNoEntry: false });
  return stats ? stats.mtimeMs : 0;
}

/** The newest time in a folder, except for one folder inside. A folder's own time shows that a file was removed. */
function newestIn(folder, leftOut) {
  const { readdirSync } = require('node:fs');
  if (folder === leftOut) return 0;
  const times = readdirSync(`${root}/${folder}`, { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? newestIn(`${folder}/${entry.name}`, leftOut) : timeOf(`${folder}/${entry.name}`),
  );
  return Math.max(timeOf(folder), ...times);
}

module.exports = { prepare, requireNode };

if (require.main === module) prepare(process.argv[2]);
