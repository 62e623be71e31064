import { expect } from 'chai';
import fc from 'fast-check';
import { type MembershipReadsInput, planMembershipReads } from '../../../src/platforms/roblox/membership-reads.js';

const plan = (input: Partial<MembershipReadsInput>) =>
  planMembershipReads({ users: 1, groups: [], openCloud: true, groupsPerUser: 20, ...input });
const groupOf = (memberCount: number, groupId = '1') => ({ groupId, memberCount });

describe('planMembershipReads', () => {
  it('planMembershipReads asks person by person without an Open Cloud key', () => {
    expect(plan({ users: 1_000, groups: [groupOf(10)], openCloud: false })).to.deep.equal({
      way: 'per_user',
      requests: 1_000,
    });
  });

  it('planMembershipReads asks for one person directly however large the group is', () => {
    expect(plan({ users: 1, groups: [groupOf(2_000_000)] })).to.deep.equal({ way: 'user_batches', requests: 1 });
  });

  it('planMembershipReads counts the pages that 50 people in many groups take', () => {
    // 2 full batches of 50 × 20 memberships are 10 pages each, the last 10 people 2 pages.
    expect(plan({ users: 110, groups: [groupOf(1_000_000)] })).to.deep.equal({ way: 'user_batches', requests: 22 });
  });

  it('planMembershipReads pages a group that is smaller than the number of requested people', () => {
    expect(plan({ users: 1_000, groups: [groupOf(5_000)] })).to.deep.equal({ way: 'group_pages', requests: 50 });
  });

  it('planMembershipReads pages several groups only when all of them together are cheaper', () => {
    const groups = [groupOf(150, '1'), groupOf(301, '2'), groupOf(0, '3')];
    expect(plan({ users: 500, groups })).to.deep.equal({ way: 'group_pages', requests: 2 + 4 + 1 });
    expect(plan({ users: 500, groups: [...groups, groupOf(20_000, '4')] })).to.deep.equal({
      way: 'user_batches',
      requests: 100,
    });
  });

  it('planMembershipReads asks person by person when people are in more than a page of groups each', () => {
    expect(plan({ users: 50, groups: [groupOf(1_000_000)], groupsPerUser: 150 })).to.deep.equal({
      way: 'per_user',
      requests: 50,
    });
  });

  it('planMembershipReads never needs more requests than any of the ways, counted page by page', () => {
    const inputs = fc.record({
      users: fc.integer({ min: 1, max: 5_000 }),
      groups: fc.array(
        fc.nat({ max: 200_000 }).map((memberCount) => groupOf(memberCount)),
        { maxLength: 5 },
      ),
      openCloud: fc.constant(true),
      groupsPerUser: fc.integer({ min: 0, max: 200 }),
    });
    fc.assert(
      fc.property(inputs, (input) => {
        const costs = { user_batches: batchCost(input), group_pages: pagingCost(input), per_user: input.users };
        const { way, requests } = planMembershipReads(input);
        expect(requests).to.equal(costs[way]);
        expect(requests).to.equal(Math.min(...Object.values(costs)));
      }),
    );
  });

  it('A membership plan never gets dearer with fewer people or smaller groups', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 5_000 }), fc.integer({ min: 1, max: 100_000 }), (users, memberCount) => {
        const { requests } = plan({ users, groups: [groupOf(memberCount)] });
        expect(plan({ users: users - 1, groups: [groupOf(memberCount)] }).requests).to.be.at.most(requests);
        expect(plan({ users, groups: [groupOf(memberCount - 1)] }).requests).to.be.at.most(requests);
      }),
    );
  });
});

/** Walks the batches one by one and turns their pages. */
function batchCost({ users, groupsPerUser }: MembershipReadsInput): number {
  let cost = 0;
  for (let left = users; left > 0; left -= 50) cost += pageCost(Math.min(left, 50) * groupsPerUser);
  return cost;
}

function pagingCost({ groups }: MembershipReadsInput): number {
  return groups.reduce((cost, { memberCount }) => cost + pageCost(memberCount), 0);
}

function pageCost(memberships: number): number {
  let cost = 1;
  for (let left = memberships; left > 100; left -= 100) cost += 1;
  return cost;
}
