import { expect } from 'chai';
import { chatUser } from '../../../src/core/actors/actor.js';
import { disconnectLinkedRole } from '../../../src/features/linked-roles/linked-role-service.js';
import { connect, publish } from '../../features/linked-roles/linked-role-setup.js';
import { api, cookiesOf } from '../../support/api.js';
import { buildPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';

// AUTH-5, AUTH-6
describe('The scopes of a sign-in', () => {
  let discord: World['discord'];

  before(async () => {
    ({ discord } = await world());
  });

  const begin = async (path: string) => {
    const { url } = await world();
    const begun = await fetch(`${url}${path}`, { redirect: 'manual' });
    return { begun, asked: new URL(begun.headers.get('location') ?? '') };
  };
  const login = (returnTo: string) => begin(`/api/auth/login?returnTo=${encodeURIComponent(returnTo)}`);

  /** Discord's answer to a person's browser with an earlier consent: a redirect back, or its page. */
  const asKnown = async (asked: URL, { chatUserId }: TestPerson) => {
    const headers = { cookie: `sandbox_person=${chatUserId}` };
    return (await fetch(asked, { redirect: 'manual', headers })).status;
  };

  /** Signs a person in on the way to a page. */
  const signInFor = async (returnTo: string, { chatUserId }: TestPerson) => {
    const { begun, asked } = await login(returnTo);
    const back = discord.authorize(asked.href, chatUserId);
    const ended = await fetch(back, { redirect: 'manual', headers: { cookie: cookiesOf(begun) } });
    return { cookie: cookiesOf(ended) };
  };

  it('A sign-in asks for a person’s servers only for pages that list servers, and not to verify', async () => {
    const scopeOf = async (returnTo: string) => (await login(returnTo)).asked.searchParams.get('scope');
    for (const page of ['/verify/abc', '/verify/abc/discord/x']) expect(await scopeOf(page)).to.equal('identify');
    expect(await scopeOf('/verify/abc/discord')).to.equal('identify connections');
    for (const page of ['/', '/g', '/me', '/admin', '/verify']) {
      expect(await scopeOf(page)).to.equal('identify guilds');
    }
  });

  // AUTH-14
  it('A sign-in to verify leaves the servers unknown, or as the sign-in before it returned them', async () => {
    const person = await buildPerson();
    const { id: guildId } = discord.addGuild({ name: 'Mine', ownerId: person.chatUserId, withBot: false });
    const servers = async (cookie: { cookie: string }) => (await api().get('/api/auth/me/servers', cookie)).body;
    expect(await servers(await signInFor('/verify/abc', person))).to.deep.equal({ data: [], known: false });
    const told = await servers(await signInFor('/g', person));
    expect(told.known).to.equal(true);
    expect(told.data.map((server: { guildId: string }) => server.guildId)).to.deep.equal([guildId]);
    expect(await servers(await signInFor('/verify/abc', person))).to.deep.equal(told);
  });

  it('Discord asks the person for further scopes each time, wherever their browser was sent from', async () => {
    const end = await publish('verified');
    try {
      const person = await buildPerson();
      await connect(person);
      await disconnectLinkedRole(chatUser(person.chatUserId, person.username));
      for (const path of ['/linked-roles', '/api/auth/login?returnTo=%2Fverify%2Fabc%2Fdiscord']) {
        const { asked } = await begin(path);
        expect(asked.searchParams.get('prompt'), path).to.equal('consent');
        expect(await asKnown(asked, person), path).to.equal(200);
      }
      expect((await login('/me')).asked.searchParams.get('prompt')).to.equal('none');
    } finally {
      await end();
    }
  });
});
