import { onlineManager } from '@tanstack/react-query';
import { expect } from 'chai';
import { Refusal, Unreachable } from '../../src/dashboard/api/answer-errors.js';
import { renewalMs, renewed } from '../../src/dashboard/api/renewal.js';
import { readDashboardSources } from '../structure/source-files.js';

const answered = { status: 'success', error: null, dataUpdatedAt: 1_000_000, errorUpdatedAt: 0 } as const;
const failing = (error: Error, forMs: number) =>
  ({ status: 'error', error, dataUpdatedAt: 1_000_000, errorUpdatedAt: 1_000_000 + forMs }) as const;
const refused = (status: number, retryAfter?: number) => new Refusal(status, {}, retryAfter);

describe('The renewal of a page', () => {
  afterEach(() => onlineManager.setOnline(true));

  // DASH-12
  it('Running work is renewed every 2.5 s, events every 5 s, the rest every 30 s, and what is over never', () => {
    expect((['work', 'events', 'figures'] as const).map((pace) => renewalMs(answered, pace))).to.deep.equal([
      2_500, 5_000, 30_000,
    ]);
    expect(renewalMs(answered, null)).to.equal(false);
  });

  // DASH-70
  it('After failures a page waits as long as they have lasted already, at most a minute', () => {
    const lost = new Unreachable(new TypeError());
    const waits = [1_000, 8_000, 30_000, 600_000].map((ms) => renewalMs(failing(lost, ms), 'events'));
    expect(waits).to.deep.equal([5_000, 8_000, 30_000, 60_000]);
    const never = { status: 'error', error: lost, dataUpdatedAt: 0, errorUpdatedAt: 1_000_000 } as const;
    expect(renewalMs(never, 'work')).to.equal(60_000);
    // Also what is over, which was never read: a switch's undo stands in it.
    expect(renewalMs(never, null)).to.equal(60_000);
    expect(renewalMs(failing(refused(404), 1_000), null)).to.equal(false);
  });

  // DASH-70
  it('A page waits for the time that the service asks for, and stops when the thing or the right is gone', () => {
    expect(renewalMs(failing(refused(429, 40), 1_000), 'work')).to.equal(40_000);
    expect(renewalMs(failing(refused(503, 90), 1_000), 'figures')).to.equal(90_000);
    expect(renewalMs(failing(refused(500), 1_000), 'work')).to.equal(2_500);
    expect([401, 403, 404].map((status) => renewalMs(failing(refused(status), 1_000), 'work'))).to.deep.equal([
      false,
      false,
      false,
    ]);
  });

  // DASH-12
  it('No page renews anything without a network', () => {
    onlineManager.setOnline(false);
    expect([renewalMs(answered, 'work'), renewed('figures')({ state: answered })]).to.deep.equal([false, false]);
  });

  it('Every page takes its pace from one place', () => {
    const own = readDashboardSources().filter(({ text }) => /refetchInterval:(?![^;]*?\brenew(ed|alMs)\()/.test(text));
    expect(own.map(({ path }) => path)).to.deep.equal([]);
  });
});
