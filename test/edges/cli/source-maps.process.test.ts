import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const ours = fileURLToPath(new URL('../../../../src/edges/cli/source-maps.cjs', import.meta.url));
const compiled = new URL('../../../src/lib/yaml-text.js', import.meta.url).href;
const script = `
  import { readYaml } from '${compiled}';
  try { readYaml('a: [') } catch (error) { console.log(error.stack) }
`;

/** The places in our sources that a trace names, under these Node options. */
function placesWith(...options: string[]): string[] {
  const { stdout } = spawnSync(process.execPath, [...options, '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  return stdout.match(/\S*yaml-text\.\w+:\d+:\d+/g) ?? [];
}

describe('The source maps of stack traces', () => {
  it('A stack trace names the same lines of the sources as with Node’s own option', () => {
    const places = placesWith('--require', ours);
    expect(places).to.have.length.greaterThan(1);
    expect(places[0]).to.match(/src\/lib\/yaml-text\.ts:\d+:\d+$/);
    expect(places).to.deep.equal(placesWith('--enable-source-maps'));
  });

  it('A stack trace names the compiled file where there is no map', () => {
    const failing = "Error.prepareStackTrace(new Error('x'), []); throw Object.assign(new Error('no map'), {})";
    const { stderr } = spawnSync(process.execPath, ['--require', ours, '-e', failing], { encoding: 'utf8' });
    expect(stderr).to.match(/Error: no map\n\s+at \[eval\]:1:\d+/);
  });
});
