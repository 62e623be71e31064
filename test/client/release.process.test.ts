import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { root } from '../structure/source-files.js';
import { removeFolder } from '../support/remove-folder.js';

const run = promisify(execFile);
const repository = 'https://code.example/acme/rolelink';

describe('.ci/release', () => {
  let parent: string;
  let folder: string;

  const release = (...names: string[]) => run('.ci/release', names, { cwd: root });
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');

  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'rolelink-release-'));
    folder = join(parent, 'release');
    await release(folder, repository, 'images.example/acme/rolelink', '@acme/rolelink-client');
  });

  after(() => removeFolder(parent));

  it('A release holds the package, the notes and what a start without a clone needs, with right checksums', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    const names = [`acme-rolelink-client-${version}.tgz`, 'LICENSE', 'compose.yaml', 'env.example'];
    expect(await readdir(folder)).to.have.members([...names, 'SHA256SUMS', 'notes.md']);
    const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder });
    expect(stdout.trim().split('\n').sort()).to.deep.equal(names.map((name) => `${name}: OK`).sort());
    const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
    expect(changelog).to.include(`## ${version}\n\n${await read('notes.md')}`);
  });

  it('A release’s compose.yaml names its own image and version, and is the clone’s otherwise', async () => {
    const own = await readFile(join(root, 'compose.yaml'), 'utf8');
    const [first = '', ...lines] = (await read('compose.yaml')).split('\n');
    expect(first).to.include('cp env.example .env');
    const { services } = parse(await read('compose.yaml')) as { services: { rolelink: { image: string } } };
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(services.rolelink.image).to.equal(`images.example/acme/rolelink:${version}`);
    const added = lines.filter((line) => !own.split('\n').includes(line));
    expect(added).to.deep.equal([`    image: ${services.rolelink.image}`]);
  });

  it('A program in a fresh folder installs a release’s package under the releaser’s name, and uses it', async () => {
    const fresh = await mkdtemp(join(parent, 'fresh-'));
    const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
    await writeFile(join(fresh, 'package.json'), '{ "type": "module" }');
    await run('npm', ['install', '--no-audit', '--no-fund', join(folder, archive)], { cwd: fresh });
    const manifest = JSON.parse(await readFile(join(fresh, 'node_modules/@acme/rolelink-client/package.json'), 'utf8'));
    expect(manifest).to.deep.include({
      name: '@acme/rolelink-client',
      homepage: `${repository}#readme`,
      bugs: `${repository}/issues`,
      repository: { type: 'git', url: `git+${repository}.git`, directory: 'src/client' },
    });
    const program = `import { signWebhook, verifyWebhook } from '@acme/rolelink-client';
      const secret = 'whsec_' + 'A'.repeat(32);
      console.log((await verifyWebhook('{"id":"evt_1"}', await signWebhook('{"id":"evt_1"}', secret), secret)).id);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: fresh });
    expect(stdout.trim()).to.equal('evt_1');
  });

  it('A release into a folder that exists, or without its names, is refused and changes nothing', async () => {
    const before = await readdir(folder);
    const outcomes = [release(folder, repository, 'images.example/acme/rolelink'), release(join(parent, 'other'))];
    const codes = await Promise.all(outcomes.map((outcome) => outcome.catch(({ code }: { code: number }) => code)));
    expect(codes).to.deep.equal([2, 2]);
    expect(await readdir(folder)).to.deep.equal(before);
  });
});
