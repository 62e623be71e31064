import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/config.js';
import { backUp } from '../../src/edges/cli/stored-data.js';
import { eventName } from '../../src/platforms/events/event-types.js';
import { startProcess } from '../boot/service-process.js';
import { root } from '../structure/source-files.js';
import { eventually } from '../support/build.js';
import { openStoredStage, personAt, verify } from './stored-stage.js';

// `npm run stored`: plays one of everything on the real service against the sandbox, and keeps the stored data as a
// backup, for the upgrade tests. Run once for each released version, before its first change to stored data.

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const path = join(root, `test/fixtures/stored-${version}`);
const stage = await openStoredStage();
const environment = await stage.environment();
const service = startProcess(environment);
await service.logged('ready');

const { guild, group, officer, verified, teammate, rank100 } = stage.ids;
const owner = await personAt(service.url, stage, 'owner');
const inGuild = <T>(method: string, under: string, body?: unknown) =>
  owner<T>(method, `/api/guilds/${guild}${under}`, body);
await inGuild('POST', '/groups', { groupId: group });
const byRank = { type: 'group_role', groupId: group, gameRoleId: rank100 };
await inGuild('POST', '/mappings', { name: 'Officers', condition: byRank, roleIds: [officer] });
await inGuild('POST', '/mappings', { condition: { type: 'verified' }, roleIds: [verified] });
await inGuild('POST', '/webhooks', { url: stage.receiver.url, events: eventName.options });
await inGuild('POST', '/tokens', { name: 'Stored', role: 'manager' });
await inGuild('POST', '/team/invite', { chatUserId: teammate, role: 'viewer' });
await inGuild('POST', '/panel', { channelId: stage.ids.channel });
const settings = await inGuild<Record<string, object>>('GET', '/settings');
await inGuild('PUT', '/settings', { ...settings, nickname: { enabled: true, template: '{gameUsername}' } });

await verify(service.url, stage, 'linked', 'officerOnRoblox', 'StoredOfficer');
const other = await personAt(service.url, stage, 'waiting');
await other('POST', '/api/verification/session', { guildId: guild, method: 'profile_code' });
await inGuild('POST', '/resync', {});
const isResynced = async () =>
  (await inGuild<{ data: { state: string }[] }>('GET', '/resyncs')).data.every(({ state }) => state === 'completed');
await eventually(isResynced, 'the resync');
await eventually(() => stage.receiver.received.length >= 2, 'the deliveries');
service.signal('SIGTERM');
await service.ended;

await backUp(loadConfig(environment), `${path}.backup`);
await writeFile(
  `${path}.json`,
  `${JSON.stringify({ ids: stage.ids, hook: stage.receiver.url }, null, 2)}
`,
);
await stage.close();
process.exit();
