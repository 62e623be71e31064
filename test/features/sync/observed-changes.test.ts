import { expect } from 'chai';
import { Members } from '../../../src/features/members/member-model.js';
import type { Difference } from '../../../src/features/sync/plan/difference.js';
import { keepDifference, keepDifferences, removeOver } from '../../../src/features/sync/plan/observed-changes.js';
import type { SyncPlan } from '../../../src/features/sync/plan/plan.js';
import { buildGuild, type TestGuild } from '../../support/build.js';
import { storedDifference } from '../../support/differences.js';

const chatUserId = '900000000000000001';
const inStep: SyncPlan = { add: [], remove: [], nickname: undefined, blocked: [], nicknameBlocked: null };

// OBS-3
describe('The plan of an observing server’s differences', () => {
  let guild: TestGuild;
  beforeEach(async () => {
    guild = await buildGuild();
  });

  /** A difference as the sync with this fence finds it. */
  function gains(roleId: string, fence: number | null): Difference {
    const plan: SyncPlan = { ...inStep, add: [roleId] };
    const member = { chatUserId, username: 'ann', roleIds: [], nickname: null };
    const planned = { member, plan, gameUserId: null, absentFrom: [], fence };
    return { planned, reasons: [{ roleId, code: 'meets_rule' }] };
  }
  const keep = (difference: Difference) => keepDifference(guild.guildId, difference);
  const added = async () => (await storedDifference(guild.guildId, chatUserId))?.add;
  const list = async () => (await guild.api.get(`${guild.path}/differences`)).body.data;
  const flag = (differs?: true) =>
    Members.upsert(
      { guildId: guild.guildId, chatUserId },
      {
        ...(differs === undefined ? { $unset: { differs: 1 } } : { $set: { differs } }),
        $setOnInsert: { chatUsername: 'ann', names: [], state: 'joined', present: true, autoLinkBlocked: false },
      },
    );

  it('A kill before the member’s flag leaves a difference that nobody sees, and the next sync shows it', async () => {
    await flag();
    await keep(gains('1', 7));
    expect(await list()).to.deep.equal([]);
    expect((await guild.api.get(`${guild.path}/differences/counts`)).body).to.include({ differing: 0, matching: 1 });
    await keep(gains('1', 8));
    await flag(true);
    expect((await list()).map(({ add }: { add: string[] }) => add)).to.deep.equal([['1']]);
  });

  it('The same stored difference keeps its time, and another one is told as new', async () => {
    expect(await keep(gains('1', 7))).to.equal(true);
    const first = await storedDifference(guild.guildId, chatUserId);
    expect(await keep(gains('1', 8))).to.equal(false);
    expect(await storedDifference(guild.guildId, chatUserId)).to.deep.equal(first);
    expect(await keep(gains('2', 9))).to.equal(true);
    expect(await added()).to.deep.equal(['2']);
  });

  it('A sync that was overtaken, and the page of a resync, leave the difference of a later sync alone', async () => {
    await keep(gains('2', 9));
    const refusal = await keep(gains('1', 7)).catch((error: unknown) => error);
    expect(refusal).to.include({ code: 'lease_lost' });
    await keepDifferences(guild.guildId, [gains('1', 7), gains('1', null)]);
    expect(await added()).to.deep.equal(['2']);
    await keepDifferences(guild.guildId, [gains('3', 9)]);
    expect(await added()).to.deep.equal(['3']);
  });

  it('Differences from before a resync are removed where the member is in step by now', async () => {
    await flag(true);
    await keep(gains('1', 7));
    const later = new Date(Date.now() + 60_000);
    await removeOver(guild.guildId, later);
    expect(await added()).to.deep.equal(['1']);
    await flag();
    await removeOver(guild.guildId, new Date(0));
    expect(await added()).to.deep.equal(['1']);
    await removeOver(guild.guildId, later);
    expect(await added()).to.equal(undefined);
  });
});
