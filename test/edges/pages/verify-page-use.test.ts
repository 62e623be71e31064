import { expect } from 'chai';
import { type Actor, chatUser } from '../../../src/core/actors/actor.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../../src/core/settings/settings-service.js';
import { linkAccount, unlinkAccount } from '../../../src/features/accounts/account-service.js';
import { ownAccounts } from '../../../src/features/accounts/own-accounts.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { createVerification } from '../../../src/features/verification/verification-service.js';
import { locale, t, withLocale } from '../../../src/lib/translate.js';
import { consent, stored, writeAbout } from '../../features/verification/verification-setup.js';
import { asPerson, signIn } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildGuild, buildMember, buildPerson, type TestGuild, type TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';
import { answerClaim, hiddenFields, submit, submitAndFollow, type Visitor, wordsOf } from './verify-pages-setup.js';

// VER-35, VER-36
describe('The choice of an account’s use on /verify/:token', () => {
  withPromptSyncs();
  let home: TestGuild;
  let other: TestGuild;
  let ben: TestPerson;
  let alt: TestPerson;
  let actor: Actor;

  beforeEach(async () => {
    [home, other] = [await buildGuild({ name: 'Café <Owls>' }), await buildGuild({ name: 'Builders' })];
    ben = await buildMember(home);
    await buildMember(other, { person: ben, linked: false });
    alt = await buildPerson();
    actor = chatUser(ben.chatUserId, ben.username);
  });

  const used = async () =>
    Promise.all([home, other].map(async ({ guildId }) => (await findMember(guildId, ben.chatUserId))?.gameUserId));
  const names = async () => (await ownAccounts(ben.chatUserId)).map(({ account }) => account.gameUserId);

  async function begin(method: 'profile_code' | 'oauth', guildId: string | null) {
    const begun = await createVerification({ guildId, method, chatUserId: ben.chatUserId }, actor);
    const visitor = { ...begun, me: await asPerson(ben), page: `/verify/${begun.token}` } as Visitor;
    return { ...begun, visitor };
  }

  /** Ben proves the other account by words in its profile, in a guild or without one. */
  async function proveAlt(guildId: string | null = other.guildId) {
    const { visitor, session } = await begin('profile_code', guildId);
    await writeAbout({ person: alt, session });
    const asked = await submitAndFollow(visitor, { action: 'complete', gameUsername: alt.gameUsername });
    return { visitor, body: asked.body as string };
  }

  const usesOf = (body: string) => [...body.matchAll(/<button [^>]*name="use" value="(\w+)"/g)].map(([, use]) => use);
  const choose = async (visitor: Visitor, use: string) =>
    submitAndFollow(visitor, { ...hiddenFields((await visitor.me.get(visitor.page)).body), use });

  it('A proof of another account leads to three choices, each with the servers that change', async () => {
    const { visitor, body } = await proveAlt();
    expect(usesOf(body)).to.deep.equal(['here', 'main', 'replace']);
    expect(body)
      .to.match(/<button name="use" value="here"/)
      .and.to.match(/<button class="plain" name="use"/);
    const words = wordsOf(body);
    expect(words).to.include(`${alt.gameUsername} is yours. Nothing has changed yet`);
    const changes = [...words.matchAll(/This changes ([^.]*)\./g)].map(([, names]) => names?.trim());
    expect(changes).to.deep.equal(['Builders', 'Builders and Café <Owls>', 'Builders and Café <Owls>']);
    expect(body).not.to.include('<Owls>').and.not.to.include('<script');
    expect(await used()).to.deep.equal([ben.gameUserId, ben.gameUserId]);
    expect(await names()).to.deep.equal([ben.gameUserId]);
    expect(await stored(visitor.token)).to.include({ state: 'pending' });
  });

  it('The account is used in this server only after the first choice', async () => {
    const { visitor } = await proveAlt();
    const done = await choose(visitor, 'here');
    expect(wordsOf(done.body)).to.include(`The Roblox account ${alt.gameUsername} is now linked`);
    expect(await used()).to.deep.equal([ben.gameUserId, alt.gameUserId]);
    expect(await names()).to.deep.equal([ben.gameUserId, alt.gameUserId]);
  });

  it('The account becomes the main one, or replaces the one in use, after the other choices', async () => {
    await choose((await proveAlt()).visitor, 'main');
    expect(await names()).to.deep.equal([alt.gameUserId, ben.gameUserId]);
    expect(await used()).to.deep.equal([alt.gameUserId, alt.gameUserId]);
    const former = alt;
    alt = await buildPerson();
    await choose((await proveAlt()).visitor, 'replace');
    expect(await names())
      .to.deep.equal([alt.gameUserId, ben.gameUserId])
      .and.not.include(former.gameUserId);
  });

  it('A verification without a server adds the account, and no server changes', async () => {
    const { visitor, body } = await proveAlt(null);
    expect(wordsOf(body)).to.include('Add it').and.to.include('This changes no server.');
    expect(wordsOf(body)).not.to.include('in this server only');
    await choose(visitor, 'here');
    expect(await used()).to.deep.equal([ben.gameUserId, ben.gameUserId]);
    expect(await names()).to.deep.equal([ben.gameUserId, alt.gameUserId]);
  });

  // ID-93, RESTR-20
  it('A refused choice of an account’s use is left out with its reason, and refused when it is sent all the same', async () => {
    const restrictions = { ...defaultSettings.restrictions, deniedGameUserIds: [ben.gameUserId] };
    await writeSettings(other.guildId, { ...defaultSettings, restrictions });
    const { visitor, body } = await proveAlt();
    expect(usesOf(body)).to.deep.equal(['replace']);
    expect(wordsOf(body)).to.include('This server restricts another account of yours');
    const sent = await submitAndFollow(visitor, { action: 'use', gameUserId: alt.gameUserId, use: 'main' });
    expect(usesOf(sent.body)).to.deep.equal(['replace']);
    expect(await names()).to.deep.equal([ben.gameUserId]);
  });

  it('A choice of an account’s use that is a stranger’s or out of form changes nothing', async () => {
    const { visitor } = await proveAlt();
    const fields = { action: 'use', gameUserId: alt.gameUserId, use: 'main' };
    const stranger = { ...visitor, me: await signIn((await buildPerson()).chatUserId) };
    expect((await submit(stranger, fields)).status).to.equal(404);
    expect(usesOf((await submitAndFollow(visitor, { ...fields, gameUserId: ben.gameUserId })).body)).to.have.length(3);
    expect((await submit(visitor, { ...fields, use: 'all' })).status).to.equal(400);
    expect((await submit(visitor, { ...fields, more: 'x' })).status).to.equal(400);
    expect(await names()).to.deep.equal([ben.gameUserId]);
  });

  it('A choice of an account’s use sent twice counts once', async () => {
    const { visitor } = await proveAlt();
    const fields = { action: 'use', gameUserId: alt.gameUserId, use: 'here' };
    const [first, second] = await Promise.all([submit(visitor, fields), submit(visitor, fields)]);
    expect([first.status, second.status]).to.deep.equal([303, 303]);
    await unlinkAccount(ben.chatUserId, actor, 'self', alt.gameUserId);
    await submitAndFollow(visitor, { ...fields, use: 'main' });
    expect(await names()).to.deep.equal([ben.gameUserId]);
  });

  it('The person may start over with another account instead of choosing', async () => {
    const { visitor } = await proveAlt();
    const again = await submitAndFollow(visitor, { action: 'retry' });
    expect(again.body).to.include('<p class="phrase">');
    expect(usesOf(again.body)).to.deep.equal([]);
  });

  it('Returning from Roblox leads to the choice of an account’s use', async () => {
    const { visitor, session } = await begin('oauth', other.guildId);
    const { back } = await consent({ session, person: alt });
    const returned = await visitor.me.get(`${back.pathname}${back.search}`);
    expect(returned.headers.get('location')).to.equal(visitor.page);
    expect(usesOf((await visitor.me.get(visitor.page)).body)).to.deep.equal(['here', 'main', 'replace']);
  });

  // VER-12, VER-37
  it('A confirmed claim leads to the choice, and the guild’s token reads nothing of it', async () => {
    const { roblox } = await world();
    const wish = { guildId: other.guildId, method: 'profile_code', chatUserId: ben.chatUserId };
    const { token, phrase } = (await other.api.post('/api/verification/session', wish)).body;
    roblox.setAbout(alt.gameUserId, phrase);
    await other.api.post('/api/verification/complete', { token, gameUsername: alt.gameUsername });
    const before = (await other.api.get(`/api/verification/session/${token}`)).body;
    const visitor = { me: await asPerson(ben), page: `/verify/${token}`, token } as Visitor;
    expect((await answerClaim(visitor, 'confirm')).status).to.equal(303);
    expect(usesOf((await visitor.me.get(visitor.page)).body)).to.deep.equal(['here', 'main', 'replace']);
    expect((await other.api.get(`/api/verification/session/${token}`)).body).to.deep.equal(before);
    await choose(visitor, 'here');
    expect(await used()).to.deep.equal([ben.gameUserId, alt.gameUserId]);
  });

  // DASH-21
  it('The choice speaks the language of the browser', async () => {
    const { visitor } = await proveAlt();
    for (const language of locale.options) {
      const { body } = await visitor.me.get(visitor.page, { accept: 'text/html', 'accept-language': language });
      for (const key of ['use.title', 'use.here', 'use.main', 'use.replace'] as const) {
        expect(wordsOf(body)).to.include(withLocale(language, () => t(key)));
      }
    }
  });

  it('A person who proves the account in use again is asked nothing', async () => {
    await linkAccount(
      {
        ...{ chatUserId: ben.chatUserId, chatUsername: ben.username, guildId: other.guildId, use: 'here' as const },
        ...{ game: { ...alt, gameDisplayName: alt.gameUsername }, method: 'oauth' as const },
      },
      actor,
    );
    expect(wordsOf((await proveAlt()).body)).to.include('is now linked');
  });
});
