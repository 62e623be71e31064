import { expect } from 'chai';
import { nameRoles } from '../../../src/platforms/roblox/held-roles.js';
import { RolesOfPeople } from '../../../src/platforms/roblox/roles-of-people.js';

const role = (gameRoleId: string, rank: number) => ({ gameRoleId, name: `Role ${gameRoleId}`, rank });

describe('Roles of people', () => {
  it('People with the same roles in the requested groups share one object, in any order', () => {
    const people = new RolesOfPeople(['7', '8']);
    people.set('1', new Map([['7', new Set(['70', '71'])]]));
    people.set('2', new Map([['7', ['71', '70']]]));
    people.set('3', new Map([['7', ['70']]]));
    people.set('4', new Map([['8', ['70', '71']]]));
    people.set('5', new Map([['9', ['90']]]));
    people.set('6', new Map());
    expect(people.get('2')).to.equal(people.get('1'));
    expect(people.get('3')).not.to.equal(people.get('1'));
    expect(people.get('4')).not.to.equal(people.get('1'));
    expect(people.get('6')).to.equal(people.get('5'));
    expect([...(people.get('5')?.keys() ?? [])]).to.deep.equal([]);
    expect([...(people.get('1')?.get('7') ?? [])].sort()).to.deep.equal(['70', '71']);
  });

  it('Roles of people stay one object when they get their names', async () => {
    const people = new RolesOfPeople(['7']);
    for (const id of ['1', '2', '3']) people.set(id, new Map([['7', [role('70', 1), role('71', 9)]]]));
    const named = await nameRoles(people, ['7']);
    expect(named.size).to.equal(3);
    expect(named.get('2')).to.equal(named.get('1'));
    expect(named.get('1')?.get('7')).to.deep.equal([role('71', 9), role('70', 1)]);
  });
});
