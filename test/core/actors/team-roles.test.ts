import { expect } from 'chai';
import { grantableRole, highestRole, holds, lowerRole, teamRoles } from '../../../src/core/actors/team-roles.js';

/** AUTH-32: each role holds all that the ones before it may do. */
describe('Team roles', () => {
  it('A team role has the rights of each lower role and none of a higher one', () => {
    const held = teamRoles.map((role) => teamRoles.filter((least) => holds(role, least)));
    expect(held).to.deep.equal([
      ['viewer'],
      ['viewer', 'manager'],
      ['viewer', 'manager', 'admin'],
      ['viewer', 'manager', 'admin', 'owner'],
    ]);
    expect(teamRoles.filter((least) => holds(null, least))).to.deep.equal([]);
  });

  it('The lower of two team roles is found in either order', () => {
    for (const [index, role] of teamRoles.entries()) {
      for (const [other, least] of teamRoles.entries()) {
        expect(lowerRole(role, least)).to.equal(teamRoles[Math.min(index, other)]);
      }
    }
  });

  it('The highest of several team roles is found, and none of none', () => {
    expect(highestRole(['viewer', 'admin', null, 'manager'])).to.equal('admin');
    expect(highestRole([null, 'viewer'])).to.equal('viewer');
    expect(highestRole([null])).to.equal(null);
    expect(highestRole([])).to.equal(null);
  });

  // AUTH-30
  it('Every team role but the owner’s can be given', () => {
    expect(teamRoles.filter((role) => grantableRole.safeParse(role).success)).to.deep.equal([
      'viewer',
      'manager',
      'admin',
    ]);
    expect(grantableRole.safeParse('owner').error?.issues[0]?.message).to.equal('must be viewer, manager or admin');
  });
});
