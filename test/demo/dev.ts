import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startSandboxes } from './demo-stage.js';

// `npm run dev`: the service in watch mode against the sandbox. The compiler writes what was changed, and the service
// starts again with it. The sandboxes and the database keep what they hold until this ends.

const root = fileURLToPath(new URL('../../../', import.meta.url));
const { discord, roblox, stripe, platformAdminId, environment, url, stop } = await startSandboxes('info');
const owner = discord.addUser({ username: 'ada', globalName: 'Ada' });
const guild = discord.addGuild({ name: 'Workshop', ownerId: owner.id });
const player = roblox.addUser({ username: 'BuilderAda' });
const group = roblox.addGroup({ name: 'Builders' });
roblox.setRank(group.id, player.id, 255);

process.stdout.write(`Ctrl+C ends it. Ada owns the server Workshop (${guild.id}) and the Roblox account BuilderAda, an owner in Builders.
  the service        ${url}/        the API: ${url}/docs
  Discord sandbox    ${discord.url}/        be somebody, join servers, press buttons, use commands
  Roblox sandbox     ${roblox.url}/        change ranks and profiles
  Stripe sandbox     ${stripe.url}/        pay, cancel, let payments fail
The platform's admin is ${platformAdminId}. \`npm run dev:web\` renews the dashboard as its files change.
`);

const compiler = [
  'node_modules/typescript/bin/tsc',
  '-p',
  'tsconfig.service.json',
  '--watch',
  '--noCheck',
  '--preserveWatchOutput',
];
const service = ['--watch', '--watch-preserve-output', '--enable-source-maps', 'dist/src/main.js'];
const env = { ...process.env, ...environment };
const children = [compiler, service].map((args) =>
  spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] }),
);
const ended = children.map((child) => new Promise((resolve) => child.once('exit', resolve)));

const end = async () => {
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(ended);
  await stop();
  process.exit(0);
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end());
