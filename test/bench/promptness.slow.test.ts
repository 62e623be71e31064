import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

// SYNC-37, SYNC-141, API-96
describe('Promptness under load', () => {
  it('Role changes, commands and answers of one server take at most 50 times as long while others do their dearest', async () => {
    const script = fileURLToPath(new URL('./run.js', import.meta.url));
    const args = ['promptness', '--scale', '0.03', '--seconds', '12', '--ratios'];
    const bench = spawn(process.execPath, [...process.execArgv, script, ...args], { stdio: 'pipe' });
    let said = '';
    for (const stream of [bench.stdout, bench.stderr]) stream.on('data', (text) => (said += String(text)));
    const [code] = await once(bench, 'close');
    expect(code, said).to.equal(0);
  });
});
