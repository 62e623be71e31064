// `npm test` and its siblings: installs and builds what is missing, then runs one tier of tests or one program of theirs.
// Plain JavaScript, since it runs before anything is installed.
const { spawnSync } = require('node:child_process');
const { existsSync, readdirSync } = require('node:fs');
const { prepare } = require('../src/edges/cli/setup.cjs');

const root = `${__dirname}/..`;
const hooks = 'dist/test/support/hooks.js';
const [processes, slow, web] = ['dist/test/**/*.process.test.js', 'dist/test/**/*.slow.test.js', 'dist/test/web/**'];

/** The time after which a test or a hook counts as hanging. A slow machine must not meet it. */
const timeoutMs = 900_000;

/** Mocha's options of each tier. `jobs` is the number of files at the same time, each with a service of its own. */
const tiers = {
  suite: { spec: ['dist/test/**/*.test.js'], ignore: [processes, slow, web], jobs: 4 },
  processes: { spec: [processes], jobs: 4 },
  slow: { spec: [slow], jobs: 2 },
  web: { spec: ['dist/test/web/**/*.test.js'], jobs: 3 },
  attacks: { spec: ['dist/test/attacks/*.attack.js'], require: ['dist/test/attacks/tally.js'] },
  examples: {
    spec: ['dist/test/examples/record-replies.js', 'dist/test/examples/record-examples.js'],
  },
  pictures: { spec: ['dist/test/pictures/take-pictures.js'] },
};

const programs = {
  bench: 'dist/test/bench/run.js',
  crashes: 'dist/test/crashes/run-crashes.js',
  faults: 'dist/test/faults/run-outages.js',
  dev: 'dist/test/demo/dev.js',
  fuzz: 'dist/test/fuzz/run-fuzz.js',
  generate: 'dist/test/dashboard/write-generated.js',
  model: 'dist/test/model/run-model.js',
  mutation: 'dist/test/mutation/run-mutation.js',
  soak: 'dist/test/soak/run-soak.js',
  stored: 'dist/test/upgrades/record-stored.js',
};

const [name, ...args] = process.argv.slice(2);
// Before the build, which may take minutes.
if (name === 'one') requireTests(args);
prepare('all');
if (name in programs) end(run('--enable-source-maps', programs[name], ...args));
else if (name === 'one') end(runTier({ spec: args.flatMap(filesOf) }, []));
else end(runTier(tiers[name], args));

function runTier({ spec, ignore = [], require: more = [], jobs }, options) {
  const parallel = jobs === undefined ? [] : ['--parallel', '--jobs', String(jobs)];
  const required = [hooks, ...more].flatMap((file) => ['--require', file]);
  const ignored = ignore.flatMap((pattern) => ['--ignore', pattern]);
  const fixed = ['--no-package', '--node-option', 'enable-source-maps', '--timeout', String(timeoutMs), '--exit'];
  return run('node_modules/mocha/bin/mocha.js', ...fixed, ...parallel, ...required, ...ignored, ...options, ...spec);
}

/** Ends the process with every name that fits no test among the sources. */
function requireTests(wishes) {
  const unknown = wishes.filter((wish) => filesOf(wish).length === 0);
  if (unknown.length === 0) return;
  const names = unknown.join(' or ');
  process.stderr.write(`No test file is called ${names}: name it by its path in test, such as lib/translate.\n`);
  process.exit(1);
}

/** The compiled files that `lib/translate`, `features/webhooks` or `test/lib/translate.test.ts` names. */
function filesOf(wish) {
  const path = wish.replace(/^(dist\/)?test\//, '').replace(/(\.(process|slow))?(\.test)?\.[jt]s$/, '');
  if (existsSync(`${root}/test/${path}`)) return [`dist/test/${path}/**/*.test.js`];
  const [folder, base] = [path.split('/').slice(0, -1).join('/'), path.split('/').pop()];
  const files = existsSync(`${root}/test/${folder}`) ? readdirSync(`${root}/test/${folder}`) : [];
  const found = files.filter((file) => file.endsWith('.test.ts') && file.split('.')[0] === base);
  if (found.length > 0) return found.map((file) => `dist/test/${folder}/${file.replace(/ts$/, 'js')}`);
  // Other programs of mocha, such as dist/test/attacks/floods.attack.js.
  return wish.endsWith('.js') && existsSync(`${root}/${wish.replace('dist/', '').replace(/js$/, 'ts')}`) ? [wish] : [];
}

function run(...command) {
  const { status, error } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (error) process.stderr.write(`${error.message}\n`);
  return status ?? 1;
}

function end(status) {
  process.exit(status);
}
