import { expect } from 'chai';
import { config, useConfig } from '../../../src/config/config.js';
import { chatUser } from '../../../src/core/actors/actor.js';
import { allAccounts, findAccount } from '../../../src/features/accounts/account-service.js';
import { useAccount } from '../../../src/features/accounts/own-accounts.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { clock } from '../../../src/lib/clock.js';
import { minuteMs } from '../../../src/lib/time.js';
import { signRobloxWebhook } from '../../sandbox/roblox/webhook-signature.js';
import { api, asPerson } from '../../support/api.js';
import { buildGuild, buildMember, buildPerson, linkPerson, type TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';
import { addOther } from '../accounts/other-account.js';
import { eraseAll, everythingNaming } from './privacy-setup.js';

const path = '/api/privacy/roblox-webhook';

// PRIV-13, PRIV-14
describe('Roblox’s webhook about erasure', () => {
  let before: ReturnType<typeof config>;
  let secret: string;
  let person: TestPerson;
  beforeEach(async () => {
    before = config();
    secret = (await world()).roblox.webhookSecret;
    person = await buildPerson();
    await linkPerson(null, person);
  });
  afterEach(() => useConfig(before));

  const sign = (body: string, key = secret, at?: number) => signRobloxWebhook(body, key, at);
  const event = (EventType: string, at = clock.epochMs()) =>
    JSON.stringify({
      ...{ NotificationId: 'n', EventType, EventTime: new Date(at).toISOString() },
      EventPayload: { UserId: Number(person.gameUserId), GameIds: [1234, 2345] },
    });
  const send = (body: string, signature = sign(body)) => api().post(path, body, { 'roblox-signature': signature });

  it('Roblox’s erasure request erases the person linked to the account, and ends their sessions', async () => {
    const session = await asPerson(person);
    const { status, body } = await send(event('RightToErasureRequest'));
    expect([status, body]).to.deep.equal([200, { received: true }]);
    await eraseAll();
    expect(await findAccount(person.chatUserId)).to.equal(null);
    expect((await session.get('/api/auth/me')).status).to.equal(401);
  });

  it('Roblox’s erasure request about one of several accounts erases that one, and its person keeps everything else', async () => {
    const [home, other] = [await buildGuild(), await buildGuild()];
    await buildMember(home, { person });
    await buildMember(other, { person, linked: false });
    const alt = await addOther(person);
    const actor = chatUser(person.chatUserId, person.username);
    await useAccount(actor, alt.gameUserId, { guildIds: [other.guildId] });
    const session = await asPerson(person);
    const body = event('RightToErasureRequest').replace(person.gameUserId, alt.gameUserId);
    expect((await send(body)).status).to.equal(200);
    await eraseAll();
    expect((await allAccounts(person.chatUserId)).map(({ gameUserId }) => gameUserId)).to.deep.equal([
      person.gameUserId,
    ]);
    expect(await findMember(home.guildId, person.chatUserId)).to.include({ gameUserId: person.gameUserId });
    expect(await findMember(other.guildId, person.chatUserId)).to.include({ state: 'unlinked' });
    await useAccount(actor, person.gameUserId, { main: true });
    const unlinked = await findMember(other.guildId, person.chatUserId);
    expect(unlinked, 'no other account is shown').to.include({ state: 'unlinked' });
    expect((await session.get('/api/auth/me')).status).to.equal(200);
    expect(await everythingNaming(alt.gameUserId)).to.deep.equal([]);
    // The last account is its person's all.
    expect((await send(event('RightToErasureRequest'))).status).to.equal(200);
    await eraseAll();
    expect((await session.get('/api/auth/me')).status).to.equal(401);
  });

  it('Roblox’s erasure request leaves a link alone that was made after it', async () => {
    expect((await send(event('RightToErasureRequest', clock.epochMs() - minuteMs))).status).to.equal(200);
    await eraseAll();
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });
  });

  it('Roblox’s webhook takes other events and unknown people, and does nothing', async () => {
    expect((await send(event('SampleNotification'))).status).to.equal(200);
    const bare = JSON.stringify({ EventType: 'SampleNotification', EventTime: new Date() });
    expect((await send(bare)).status).to.equal(200);
    const unknown = event('RightToErasureRequest').replace(person.gameUserId, '9007199254740991');
    expect((await send(unknown)).status).to.equal(200);
    await eraseAll();
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });
  });

  // AUTH-2
  it('Roblox’s webhook refuses requests that Roblox did not sign, or not lately', async () => {
    const body = event('RightToErasureRequest');
    const old = clock.epochMs() - 11 * minuteMs;
    for (const wrong of [sign(body, 'x'), sign(`${body} `), sign(body, secret, old), 't=1', `t=${old}`, 'v1=x']) {
      const answer = await send(body, wrong);
      expect([answer.status, answer.body.code], wrong).to.deep.equal([400, 'signature_invalid']);
    }
    expect((await send('[]')).body.code).to.equal('signature_invalid');
    expect((await send('no JSON')).body.code).to.equal('signature_invalid');
    const { webhookSecret: _, ...roblox } = before.roblox;
    useConfig({ ...before, roblox });
    expect((await send(body)).status).to.equal(404);
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });
  });
});
