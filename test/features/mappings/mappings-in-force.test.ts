import { expect } from 'chai';
import { plans } from '../../../src/core/plans/plans.js';
import type { Condition } from '../../../src/features/mappings/condition.js';
import { partByPlan } from '../../../src/features/mappings/mappings-in-force.js';

interface Draft {
  name: string;
  condition: Condition;
}

const verified = (name: string): Draft => ({ name, condition: { type: 'verified' } });
const ofGroup = (name: string, groupId: string): Draft => ({ name, condition: { type: 'group_member', groupId } });
const many = (length: number, from = 1): Draft[] => Array.from({ length }, (_, index) => verified(`m${index + from}`));

/** The names of mappings in force, and paused ones' with the reason. */
function part(plan: 'free' | 'pro', mappings: readonly Draft[], groupIds: readonly string[] = []) {
  const { inForce, paused } = partByPlan(plan, mappings, groupIds);
  return {
    inForce: inForce.map(({ name }) => name),
    paused: paused.map(({ mapping, reason }) => [mapping.name, reason]),
  };
}

// PLAN-5
describe('Mappings in force', () => {
  it('All mappings are in force up to the plan’s limit', () => {
    const names = many(10).map(({ name }) => name);
    expect(part('free', many(10), ['1', '2', '3'])).to.deep.equal({ inForce: names, paused: [] });
  });

  it('The oldest mappings are in force when there are more than the plan allows', () => {
    const { inForce, paused } = part('free', many(12));
    expect(inForce).to.deep.equal(many(10).map(({ name }) => name));
    expect(paused).to.deep.equal([
      ['m11', 'mappings_over_plan'],
      ['m12', 'mappings_over_plan'],
    ]);
    expect(part('pro', many(12)).paused).to.deep.equal([]);
  });

  it('Mappings that name a group beyond the plan are paused at any depth, and use no place', () => {
    const groupIds = ['1', '2', '3', '4'];
    const nested: Condition = {
      type: 'all',
      of: [{ type: 'verified' }, { type: 'not', of: { type: 'group_rank', groupId: '4', min: 1, max: 9 } }],
    };
    const mappings = [ofGroup('young', '4'), { name: 'nested', condition: nested }, ofGroup('old', '1'), ...many(9)];
    expect(part('free', mappings, groupIds)).to.deep.equal({
      inForce: ['old', ...many(9).map(({ name }) => name)],
      paused: [
        ['young', 'groups_over_plan'],
        ['nested', 'groups_over_plan'],
      ],
    });
    expect(part('free', mappings, groupIds.slice(0, 3)).inForce).to.include('young');
  });

  it('No more mappings are in force than the table of plans allows', () => {
    for (const plan of ['free', 'pro'] as const) {
      expect(part(plan, many(600)).inForce).to.have.length(plans[plan].mappings);
    }
  });
});
