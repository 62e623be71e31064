import { expect } from 'chai';
import type { Condition } from '../../../src/features/mappings/condition.js';
import { describeCondition } from '../../../src/features/mappings/describe-condition.js';

const groups = [{ groupId: '7', name: 'Builders', roles: [{ gameRoleId: '70', name: 'Foreman', rank: 50 }] }];

const member: Condition = { type: 'group_member', groupId: '7' };
const verified: Condition = { type: 'verified' };
const foreman: Condition = { type: 'group_role', groupId: '7', gameRoleId: '70' };

const cases: [string, Condition][] = [
  ['verified', verified],
  ['not verified', { type: 'unverified' }],
  ['member of Builders', member],
  ['member of group 8', { type: 'group_member', groupId: '8' }],
  ['rank 10–20 in Builders', { type: 'group_rank', groupId: '7', min: 10, max: 20 }],
  ['rank 10 in Builders', { type: 'group_rank', groupId: '7', min: 10, max: 10 }],
  ['role Foreman in Builders', foreman],
  ['role 71 in Builders', { type: 'group_role', groupId: '7', gameRoleId: '71' }],
  ['verified and member of Builders', { type: 'all', of: [verified, member] }],
  ['member of Builders', { type: 'any', of: [member] }],
  ['not (verified)', { type: 'not', of: verified }],
  [
    'verified and (member of Builders or role Foreman in Builders)',
    { type: 'all', of: [verified, { type: 'any', of: [member, foreman] }] },
  ],
  [
    'not (verified or member of Builders) or role Foreman in Builders',
    { type: 'any', of: [{ type: 'not', of: { type: 'any', of: [verified, member] } }, foreman] },
  ],
];

describe('The words for a condition', () => {
  for (const [words, condition] of cases) {
    it(`A condition is described as "${words}"`, () => {
      expect(describeCondition(condition, groups)).to.equal(words);
    });
  }
});
