import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../structure/source-files.js';

const folder = join(root, 'src/edges/cli');

/** Runs Node with these arguments, and no environment. */
function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: {} }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
}
const rolelink = (...args: string[]) => run(join(folder, 'rolelink.cjs'), ...args);

describe('The command line', () => {
  it('The command rolelink lists its subcommands, and names one that it does not know', async () => {
    const { code, out, err } = await rolelink();
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    expect(out)
      .to.match(/^Usage: rolelink COMMAND/)
      .and.contain('\n  start ');
    expect((await rolelink('--help')).out).to.equal(out);
    const unknown = await rolelink('constructor');
    expect(unknown).to.deep.equal({ code: 1, out: '', err: `There is no command constructor.\n\n${out}` });
  });

  it('Every subcommand has a help that runs nothing', async () => {
    const { out } = await rolelink('--help');
    const names = [...out.matchAll(/^ {2}(\w+) /gm)].map(([, name = '']) => name);
    expect(names).to.include.members(['start', 'demo', 'token', 'openapi']);
    for (const name of names) {
      const help = await rolelink(name, '--help');
      expect(help).to.include({ code: 0, err: '' });
      expect(help.out).to.match(new RegExp(`^Usage: rolelink ${name}`));
    }
  });

  for (const version of ['8.17.0', '18.20.8', '20.18.3', '21.7.3', '22.11.0', '23.11.0']) {
    // ENV-31
    it(`The command rolelink refuses Node ${version} in one sentence, before anything else`, async () => {
      const older = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
      const script = `${older} process.argv.push('rolelink', 'start'); require(${JSON.stringify(join(folder, 'rolelink.cjs'))});`;
      const { code, out, err } = await run('-e', script);
      expect({ code, out }).to.deep.equal({ code: 1, out: '' });
      expect(err.trim().split('\n')).to.have.length(1);
      expect(err).to.contain(version).and.contain('Install Node 24');
    });
  }

  for (const version of ['20.19.0', '22.12.0', '24.0.0', '25.1.0']) {
    // ENV-31
    it(`The command rolelink runs on Node ${version}`, async () => {
      const other = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
      const { code, err } = await run(
        '-e',
        `${other} require(${JSON.stringify(join(folder, 'setup.cjs'))}).requireNode();`,
      );
      expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    });
  }
});
