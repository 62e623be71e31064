import { expect } from 'chai';
import { clock } from '../../src/lib/clock.js';
import { NotFound } from '../../src/lib/errors.js';
import { eachPart, failingWork, PatientWork, SeparateWork } from '../../src/lib/patient-work.js';
import { minuteMs } from '../../src/lib/time.js';

describe('Patient work', () => {
  const fails = () => Promise.reject(new Error('a fault'));
  const { signal } = new AbortController();

  it('An item that throws rests longer each time, is reported after three failures, and forgotten once it is done', async () => {
    const work = new PatientWork('test_items');
    let tries = 0;
    const failing = async () => {
      tries += 1;
      await fails();
    };
    for (const [minutes, tried] of [
      [0, 1],
      [0, 2],
      [1, 2],
      [1.1, 3],
      [3, 3],
    ] as const) {
      clock.advance(minutes * minuteMs);
      expect(await work.on('one', failing)).to.equal(false);
      expect(tries).to.equal(tried);
    }
    expect(failingWork()).to.include('test_items');
    expect(await work.on('other', async () => undefined)).to.equal(true);
    clock.advance(1.1 * minuteMs);
    expect(await work.on('one', async () => undefined)).to.equal(true);
    expect(failingWork()).to.not.include('test_items');
    clock.restore();
  });

  it('An item whose next try is stored waits for nothing else, and is reported after three failures', async () => {
    const work = new SeparateWork('test_separate');
    for (let tries = 1; tries <= 3; tries += 1) expect(await work.on('one', fails)).to.equal(false);
    expect(failingWork()).to.include('test_separate');
    expect(await work.on('one', async () => undefined)).to.equal(true);
    expect(failingWork()).to.not.include('test_separate');
  });

  it('A refused item is retried at the next poll, as a platform may be back by then', async () => {
    const work = new PatientWork('test_refusals');
    await work.on('one', () => Promise.reject(new NotFound('not_found', 'There is nothing.')));
    expect(work.rests('one')).to.equal(false);
  });

  it('A job runs every part whatever becomes of those before, and then fails with the first error', async () => {
    const ran: number[] = [];
    const failed = await eachPart(
      signal,
      async () => void ran.push(1),
      fails,
      async () => void ran.push(3),
    ).catch((error: Error) => error.message);
    expect([ran, failed]).to.deep.equal([[1, 3], 'a fault']);
  });
});
