import { expect } from 'chai';
import { findOwnAccount, linkAccount } from '../../../src/features/accounts/account-service.js';
import { settleTransfers } from '../../../src/features/verification/transfers.js';
import { Verifications } from '../../../src/features/verification/verification-model.js';
import { hashSecret } from '../../../src/lib/ids.js';
import { api, asPerson } from '../../support/api.js';
import {
  buildGuild,
  buildMember,
  buildPerson,
  eventually,
  type TestGuild,
  type TestPerson,
  tokenFor,
} from '../../support/build.js';
import { world } from '../../support/world.js';
import { addOther } from '../accounts/other-account.js';
import { age } from './verification-setup.js';

// VER-35, VER-37, VER-38
describe('A proof that waits for its person’s choice', () => {
  let guild: TestGuild;
  let ben: TestPerson;
  let alt: TestPerson;

  beforeEach(async () => {
    guild = await buildGuild();
    ben = await buildMember(guild);
    alt = await buildPerson();
  });

  /** Begins Ben's session, and puts its words into the other account's profile. */
  async function begin(caller: Awaited<ReturnType<typeof asPerson>>, wish: object = {}) {
    const wished = { guildId: guild.guildId, method: 'profile_code', ...wish };
    const { body } = await caller.post('/api/verification/session', wished);
    (await world()).roblox.setAbout(alt.gameUserId, body.phrase);
    return { token: body.token as string, gameUsername: alt.gameUsername };
  }

  it('The API answers 202 with the page of the choice, and a guild’s token reads a session that is pending', async () => {
    const me = await asPerson(ben);
    const proof = await begin(me);
    const path = `/api/verification/session/${proof.token}`;
    const before = (await guild.api.get(path)).body;
    const { status, body } = await me.post('/api/verification/complete', proof);
    expect(status).to.equal(202);
    expect(body.confirmUrl).to.match(new RegExp(`/verify/${proof.token}$`));
    expect(await findOwnAccount(ben.chatUserId)).to.include({ gameUserId: ben.gameUserId });
    const { attempts: _, attemptsLeft: __, gameUsername: ___, ...after } = (await guild.api.get(path)).body;
    expect(before).to.deep.include(after);
    const done = await me.post('/api/verification/complete', { ...proof, use: 'main' });
    expect([done.status, done.body.account.gameUserId]).to.deep.equal([200, alt.gameUserId]);
  });

  it('The platform’s token replaces the account in use, since nobody is there to choose', async () => {
    const platform = api(await tokenFor('*', 'owner'));
    const proof = await begin(platform, { chatUserId: ben.chatUserId });
    expect((await platform.post('/api/verification/complete', proof)).status).to.equal(200);
    expect(await findOwnAccount(ben.chatUserId)).to.include({ gameUserId: alt.gameUserId });
    const { data } = (await (await asPerson(ben)).get('/api/auth/me/accounts')).body;
    expect(data).to.have.length(1);
  });

  // VER-40
  it('A use that a guild’s token gives beside its claim is refused by name, and changes nothing', async () => {
    const proof = await begin(guild.api, { chatUserId: ben.chatUserId });
    const { status, body } = await guild.api.post('/api/verification/complete', { ...proof, use: 'main' });
    expect([status, body.code, body.errors.map(({ path }: { path: string }) => path)]).to.deep.equal([
      400,
      'invalid_request',
      ['use'],
    ]);
    const { body: session } = await guild.api.get(`/api/verification/session/${proof.token}`);
    expect(session).to.include({ state: 'pending', attempts: 0 });
    const claim = await guild.api.post('/api/verification/complete', proof);
    expect([claim.status, claim.body.session.state]).to.deep.equal([202, 'awaiting_confirmation']);
  });

  // ID-10, ID-93
  it('A proof that waits for the owner of its account keeps the use that was chosen', async () => {
    const owner = await buildMember(guild, { linked: false });
    const { gameUserId, gameUsername } = alt;
    const game = { gameUserId, gameUsername, gameDisplayName: gameUsername };
    const held = { chatUserId: owner.chatUserId, chatUsername: owner.username, guildId: guild.guildId, game };
    const actor = {
      kind: 'user',
      id: owner.chatUserId,
      name: owner.username,
      role: null,
      platformAdmin: false,
    } as const;
    await linkAccount({ ...held, method: 'oauth' }, actor);
    await addOther(ben);
    const me = await asPerson(ben);
    const proof = await begin(me);
    const { status, body } = await me.post('/api/verification/complete', { ...proof, use: 'here' });
    expect([status, body.session.state]).to.deep.equal([202, 'awaiting_transfer']);
    expect(await findOwnAccount(ben.chatUserId)).to.include({ gameUserId: ben.gameUserId });

    // VER-18: a place that was free a day before need not be.
    for (let n = 0; n < 3; n += 1) await addOther(ben);
    const session = { _id: hashSecret(proof.token) };
    await eventually(async () => (await Verifications.findOne(session))?.transfer?.told, 'the owner to be told');
    await age(session, 86_400_000);
    await settleTransfers(new AbortController().signal);
    expect(await Verifications.findOne(session).lean()).to.include({ state: 'failed', reason: 'superseded' });
    expect(await findOwnAccount(owner.chatUserId)).to.include({ gameUserId: alt.gameUserId });
  });
});
