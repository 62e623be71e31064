import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { latestVersion } from '../../src/platforms/database/data-version.js';
import { endProcesses, type ServiceProcess, startProcess } from '../boot/service-process.js';
import { root } from '../structure/source-files.js';
import { eventually } from '../support/build.js';
import { startChild } from '../support/child-process.js';
import { openStoredStage, personAt, type StoredStage, verify } from './stored-stage.js';

const fixtures = join(root, 'test/fixtures');
const versions = readdirSync(fixtures).flatMap((name) => /^stored-(.+)\.backup$/.exec(name)?.[1] ?? []);
const restoreScript = fileURLToPath(new URL('../../src/edges/cli/run-restore.js', import.meta.url));

/** Puts a version's stored data into the stage's folder, with the ids that this stage's sandboxes have given out. */
async function restoreStored(version: string, stage: StoredStage): Promise<void> {
  const told: { ids: Record<string, string>; hook: string } = JSON.parse(
    await readFile(join(fixtures, `stored-${version}.json`), 'utf8'),
  );
  const newer = new Map(Object.entries(told.ids).map(([name, id]) => [id, stage.ids[name] ?? id]));
  const text = gunzipSync(await readFile(join(fixtures, `stored-${version}.backup`))).toString();
  const moved = text.replaceAll(/\d{10,}/g, (id) => newer.get(id) ?? id).replaceAll(told.hook, stage.receiver.url);
  const file = join(stage.dataDir, 'stored');
  await writeFile(file, gzipSync(moved));
  const env = await stage.environment();
  await promisify(execFile)(process.execPath, [restoreScript, file], { env, cwd: stage.dataDir });
}

it('There is stored data of a released version', () => {
  expect(versions).to.include('0.1.0');
});

for (const version of versions) {
  describe(`The stored data of ${version}`, () => {
    let stage: StoredStage;

    before(async () => {
      stage = await openStoredStage();
      const { guild = '', linked = '', officer = '', verified = '' } = stage.ids;
      stage.discord.setMember(guild, linked, { roleIds: [officer, verified], nickname: 'StoredOfficer' });
      await restoreStored(version, stage);
    });
    after(async () => {
      await endProcesses();
      await stage.close();
    });
    const start = async (): Promise<ServiceProcess> => startProcess(await stage.environment());
    const rolesOf = (name: string): string[] =>
      stage.discord.member(stage.ids.guild ?? '', stage.ids[name] ?? '')?.roleIds ?? [];

    it('This version starts on it, also after starts that were killed half-way', async () => {
      for (const afterMs of [0, 300, 1_000]) {
        const service = await start();
        await service.logged('opening the embedded database');
        await delay(afterMs);
        service.signal('SIGKILL');
        await service.ended;
      }
      const service = await start();
      await service.logged('ready');
      const faults = service.lines().filter(({ level }) => level >= 50);
      expect(faults.map(({ msg }) => msg)).to.deep.equal([]);
      service.signal('SIGTERM');
      expect(await service.ended).to.equal(0);
    });

    it('Everything that was stored is there, and the main flows continue from it', async () => {
      const service = await start();
      await service.logged('ready');
      const { guild, group, linked = '', officer = '', verified = '', officerOnRoblox = '' } = stage.ids;
      const owner = await personAt(service.url, stage, 'owner');
      const inGuild = <T>(method: string, under: string, body?: unknown) =>
        owner<T>(method, `/api/guilds/${guild}${under}`, body);
      const countOf = async (list: string) => (await inGuild<{ data: unknown[] }>('GET', `/${list}`)).data.length;
      const lists = ['groups', 'mappings', 'webhooks', 'tokens', 'team', 'resyncs', 'members?status=linked'];
      expect(await Promise.all(lists.map(countOf))).to.deep.equal([1, 2, 1, 1, 2, 1, 1]);
      expect(await inGuild('GET', '/settings')).to.have.nested.property('nickname.enabled', true);
      const { data: log } = await inGuild<{ data: { action: string }[] }>('GET', '/logs?limit=100');
      expect(log.map(({ action }) => action)).to.include.members(['group.added', 'mapping.created', 'member.synced']);

      stage.roblox.setRank(group ?? '', officerOnRoblox, 1);
      await inGuild('POST', `/members/${linked}/resync`);
      expect(rolesOf('linked')).to.include(verified).and.not.include(officer);

      const before = stage.receiver.received.length;
      await verify(service.url, stage, 'waiting', 'newcomer', 'StoredNewcomer');
      await eventually(() => rolesOf('waiting').includes(verified), 'the role of the new link');
      const events = () => stage.receiver.received.slice(before).map(({ body }) => JSON.parse(body.toString()).event);
      await eventually(() => events().includes('verification.completed'), 'the delivery');

      await inGuild('POST', '/mappings', { condition: { type: 'group_member', groupId: group }, roleIds: [officer] });
      await eventually(() => rolesOf('linked').includes(officer), 'the role of the new mapping');
      await (await personAt(service.url, stage, 'linked'))('DELETE', '/api/verification/unlink');
      await eventually(() => rolesOf('linked').length === 0, 'the loss of the roles');
      service.signal('SIGTERM');
      expect(await service.ended).to.equal(0);
    });

    it('A later change of stored data that is killed half-way is finished by the next start, each document once', async () => {
      const first = startChild('upgrades/migration-child.js', stage.dataDir);
      await first.report('changed');
      await first.kill();
      const second = startChild('upgrades/migration-child.js', stage.dataDir);
      for (const nth of [1, 2, 3, 4]) {
        await eventually(
          () =>
            second.reports.filter((report) => report.startsWith('changed')).length >= nth ||
            second.reports.at(-1)?.startsWith('done'),
          'the next document',
        );
        if (second.reports.some((report) => report.startsWith('done'))) break;
        second.send('go on');
      }
      const [ways, count] = (await second.report('done')).trim().split(' ');
      expect(ways).to.equal('[1]');
      expect(Number(count)).to.be.at.least(4);
    });

    it('Data that a newer version has changed is refused in words', async () => {
      const service = await start();
      expect(await service.ended).to.equal(1);
      const known = latestVersion();
      expect(service.errors()).to.contain(`newer Rolelink (data version ${known + 1}; this one knows ${known})`);
      expect(service.errors().trim().split('\n')).to.have.length(1);
    });
  });
}
