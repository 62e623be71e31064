import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { startChild } from '../../support/child-process.js';
import { removeFolder } from '../../support/remove-folder.js';

describe('Jobs of a process that fails', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'rolelink-jobs-'));
  });
  afterEach(() => removeFolder(dataDir));

  it('A job that throws is logged with name and ids, and is retried immediately after a crash', async () => {
    const killed = startChild('platforms/jobs/job-child.js', dataDir);
    await killed.report('started');
    killed.send('80351110224678912');
    expect(await killed.report('runs')).to.equal('80351110224678912');
    while (!killed.output().includes('job failed')) await delay(10);
    await killed.kill();
    const logged =
      killed
        .output()
        .split('\n')
        .find((line) => line.includes('job failed')) ?? '{}';
    const line = JSON.parse(logged);
    expect(line).to.include({ level: 50, job: 'failing', msg: 'job failed' });
    expect(line.jobId).to.match(/^[0-9a-f]{24}$/);
    expect(line.data).to.deep.equal({ memberId: '80351110224678912' });
    expect(line.err).to.include({ type: 'TypeError', message: 'no such luck' });

    const next = startChild('platforms/jobs/job-child.js', dataDir);
    await next.report('started');
    const startedAt = performance.now();
    expect(await next.report('runs')).to.equal('80351110224678912');
    // Its lock would have lived for a minute.
    expect(performance.now() - startedAt).to.be.below(30_000);
    await next.kill();
  });
});
