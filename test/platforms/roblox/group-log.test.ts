import { expect } from 'chai';
import { readGroupLog } from '../../../src/platforms/roblox/group-log.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { robloxStats } from '../../../src/platforms/roblox/roblox-host.js';
import { expectUnavailable, sendJson, startScriptedRoblox, useQuiet } from './roblox-setup.js';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
const line = (minute: number, change: object = {}) => ({
  actor: { user: { userId: 9, username: 'Officer' } },
  actionType: 'ChangeRank',
  description: { TargetId: minute },
  created: at(minute).toISOString(),
  ...change,
});
const page = (lines: unknown[], nextPageCursor: string | null = null) => ({ data: lines, nextPageCursor });

describe('The log of a Roblox group', () => {
  useQuiet();

  /** Lets Roblox give these answers one after the other, the last again and again. */
  const withPages = async (pages: unknown[], run: (requests: string[]) => Promise<void>, status = 200) => {
    const roblox = await startScriptedRoblox((_, response) =>
      sendJson(response, pages[Math.min(roblox.requests.length, pages.length) - 1], status),
    );
    configureRoblox(roblox.config);
    try {
      await run(roblox.requests);
    } finally {
      await roblox.stop();
    }
  };
  const once = { totalMs: 1_000, attempts: 1 };
  const told = async (lines: unknown[]) => {
    let found: unknown;
    await withPages([page(lines)], async () => {
      const log = await readGroupLog('7', at(0), once);
      found = log && { ids: [...log.changedAt.keys()], isComplete: log.isComplete };
    });
    return found;
  };

  it('readGroupLog names the people in lines since a moment, with joins and leaves', async () => {
    const lines = [
      line(5, { actionType: 'LeaveGroup', description: {} }),
      line(4, { actionType: 'JoinGroup', description: null, actor: { user: { userId: 4 } } }),
      line(3, { actionType: 'SpendGroupFunds' }),
      line(2, { description: { TargetId: '12' } }),
      line(-1),
    ];
    expect(await told(lines)).to.deep.equal({ ids: ['9', '4', '12'], isComplete: true });
    expect(await told([line(3, { actionType: 'ChangeOwner' })])).to.deep.equal({ ids: ['3', '9'], isComplete: true });
  });

  // RANK-18
  it('A group’s log is not complete when a line does not name its person', async () => {
    for (const change of [
      { description: {} },
      { description: null },
      { description: { TargetId: 'x' } },
      { actionType: 'LeaveGroup', description: {}, actor: null },
      { actionType: 'LeaveGroup', description: {}, actor: { user: null } },
      { actionType: 'DeleteRoleset', description: { RoleSetId: 7 } },
    ]) {
      expect(await told([line(5), line(4, change)])).to.deep.equal({ ids: ['5'], isComplete: false });
    }
  });

  it('readGroupLog reads on until the moment is reached, three pages at most', async () => {
    const pages = [page([line(9)], 'b'), page([line(8), line(-1)], 'c'), page([line(-2)])];
    await withPages(pages, async (requests) => {
      const log = await readGroupLog('7', at(0), once);
      expect([[...(log?.changedAt.keys() ?? [])], log?.isComplete]).to.deep.equal([['9', '8'], true]);
      expect(log?.newestAt).to.deep.equal(at(9));
      expect(requests.length).to.equal(2);
    });
    await withPages([page([line(9)], 'b'), page([line(8)], 'c'), page([line(7)], 'd')], async (requests) => {
      expect(await readGroupLog('7', at(0), once)).to.include({ isComplete: false });
      expect(requests.length).to.equal(3);
    });
    await withPages([page([line(9)], 'b')], async (requests) => {
      expect((await readGroupLog('7', null, once))?.changedAt.size).to.equal(0);
      expect(requests.length).to.equal(1);
    });
  });

  it('readGroupLog refuses a log that is not newest first, or has holes', async () => {
    for (const pages of [
      [page([line(-1), line(5)])],
      [page([line(5)], 'b'), page([line(6)])],
      [page([line(5)], 'b'), page([], 'c')],
      [{ data: null }],
      [page([{ ...line(5), created: 'yesterday' }])],
    ]) {
      await withPages(pages, () => expectUnavailable(readGroupLog('7', at(0), once)));
    }
  });

  it('readGroupLog returns null where Roblox refuses the log, which says nothing of the key', async () => {
    for (const status of [401, 403]) {
      const refusal = { errors: [{ code: 23, message: 'Insufficient permissions.' }] };
      await withPages(
        [refusal],
        async () => {
          expect(await readGroupLog('7', at(0), once)).to.equal(null);
          expect(robloxStats().closed).to.deep.equal([]);
        },
        status,
      );
    }
  });
});
