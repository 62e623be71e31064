import { expect } from 'chai';
import { chatUser } from '../../../src/core/actors/actor.js';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { disownAccount } from '../../../src/features/accounts/account-disowning.js';
import { findAccount } from '../../../src/features/accounts/account-service.js';
import { api } from '../../support/api.js';
import { buildGuild, buildMember, type TestPerson, tokenFor } from '../../support/build.js';
import { refusal } from '../verification/verification-setup.js';

// ID-16
describe('The button “It was not me”', () => {
  let person: TestPerson;

  beforeEach(async () => {
    person = await buildMember(await buildGuild());
  });

  const press = (gameUserId: string) => disownAccount(gameUserId, chatUser(person.chatUserId, person.username));
  const written = () =>
    AuditLog.acrossGuilds.countDocuments({ action: 'account.disowned', 'actor.id': person.chatUserId });

  it('A press of “It was not me” logs nothing when the account was not changed by anyone else', async () => {
    for (const named of ['', 'any text', '1', '9'.repeat(80)]) {
      expect((await refusal(press(named))).code).to.equal('nothing_to_answer');
    }
    expect(await written()).to.equal(0);
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });
  });

  it('A press of “It was not me” is logged once for each change, however often it is repeated', async () => {
    const platform = api(await tokenFor('*', 'manager'));
    await platform.delete(`/api/verification/unlink?chatUserId=${person.chatUserId}`);
    for (let n = 0; n < 3; n += 1) expect(await press(person.gameUserId)).to.equal(false);
    expect(await written()).to.equal(1);
  });
});
