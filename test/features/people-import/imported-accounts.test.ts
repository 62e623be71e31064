import { expect } from 'chai';
import { stub } from 'sinon';
import { chatUser, systemActor } from '../../../src/core/actors/actor.js';
import { importAccount } from '../../../src/features/accounts/account-import.js';
import { findAccount } from '../../../src/features/accounts/account-service.js';
import { linkByGameCode } from '../../../src/features/accounts/account-words.js';
import { lineOf } from '../../../src/features/log-channel/log-channel-text.js';
import { Members } from '../../../src/features/members/member-model.js';
import { clock } from '../../../src/lib/clock.js';
import { newId } from '../../../src/lib/ids.js';
import { privateWords } from '../../commands/private-answer.js';
import { api, asPerson } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildMember, buildPerson, eventually, linkPerson, type TestPerson, tokenFor } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildGroupGuild, type GroupGuild, mapTo, setSettings } from '../sync/sync-setup.js';
import { pairOf, runImport } from './import-setup.js';

describe('Imported accounts', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let person: TestPerson;
  let verified: string;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGroupGuild();
    [verified = ''] = await mapTo(guild, { type: 'verified' });
    person = await buildMember(guild, { linked: false });
  });

  const member = () => guild.api.get(`${guild.path}/members/${person.chatUserId}`);
  const why = () => privateWords(discord.command(guild.guildId, guild.ownerId, 'why', { member: person.chatUserId }));
  const entries = async () => (await guild.api.get(`${guild.path}/logs?limit=100`)).body.data;
  const roles = () => discord.member(guild.guildId, person.chatUserId)?.roleIds;
  const hasRole = () => eventually(async () => roles()?.includes(verified), 'the role');

  // PEOPLE-16
  it('The member page, /why and the log show the source of an imported account', async () => {
    await runImport(guild, { people: [pairOf(person)] });
    await hasRole();
    expect((await member()).body).to.include({ gameUserId: person.gameUserId, importedFrom: 'list' });
    expect((await guild.api.get(`${guild.path}/members/${person.chatUserId}/why`)).body.importedFrom).to.equal('list');
    expect(await why()).to.include("Imported from a server's list. The person hasn't verified it.");
    const linked = (await entries()).find(({ action }: { action: string }) => action === 'member.linked');
    expect(linked.changes.importedFrom).to.deep.equal({ from: null, to: 'list' });
    expect(lineOf(linked)).to.include("imported from a server's list");
  });

  it('A proof by the person ends the words about the import', async () => {
    await runImport(guild, { people: [pairOf(person)] });
    await guild.api.post(`${guild.path}/members/${person.chatUserId}/resync`, {});
    await linkPerson(guild.guildId, person);
    expect((await member()).body.importedFrom).to.equal(null);
    expect(await why()).not.to.include('Imported from');
  });

  // PEOPLE-7
  it('Where the server asks, nothing about an imported account is shown until its person agrees', async () => {
    await setSettings(guild, { reveal: 'ask' });
    await runImport(guild, { people: [pairOf(person)] });
    const shown = new RegExp(`${person.gameUsername}|"${person.gameUserId}"`, 'i');
    const callers = [guild.api, api(await tokenFor('*', 'owner'))];
    const paths = ['/logs?limit=100', '/people/import', '/differences', '/members', `/members/${person.chatUserId}`];
    for (const caller of callers) {
      for (const path of paths)
        expect(JSON.stringify((await caller.get(guild.path + path)).body), path).not.to.match(shown);
    }
    expect((await member()).body.importedFrom).to.equal(null);
    expect(await why())
      .not.to.match(shown)
      .and.not.to.include('Imported');
    expect(roles()).to.deep.equal([]);

    const me = await asPerson(person);
    expect((await me.put(`/api/auth/me/consents/${guild.guildId}`, { shown: true })).status).to.equal(200);
    await hasRole();
    expect((await member()).body).to.include({ gameUserId: person.gameUserId, importedFrom: 'list' });
  });

  // PEOPLE-8, PEOPLE-9
  it('The person sees on their page where the account is from, and Not me ends it and keeps it from coming again', async () => {
    await runImport(guild, { people: [pairOf(person)] });
    await hasRole();
    const me = await asPerson(person);
    const { body } = await me.get('/api/auth/me');
    expect(body.account).to.include({ gameUserId: person.gameUserId, method: 'imported', importedFrom: 'list' });
    const ended = await me.delete(`/api/verification/unlink?gameUserId=${person.gameUserId}`);
    expect(ended.status).to.be.oneOf([200, 204]);
    await eventually(async () => !roles()?.includes(verified), 'the loss of the role');
    const { counts } = await runImport(guild, { people: [pairOf(person)] });
    expect(counts).to.include({ imported: 0, refused: 1 });
    expect(await findAccount(person.chatUserId)).to.equal(null);
  });

  // PEOPLE-2
  it('An import replaces no account that its person confirms by a game code in the moment after the import looked', async () => {
    const { guildId } = guild;
    const { chatUserId, username: chatUsername, gameUserId, gameUsername } = person;
    const game = { gameUserId, gameUsername, gameDisplayName: gameUsername };
    const word = { voucher: { chatUserId: null, ceilingRoleId: guildId }, provenBy: 'session' };
    const confirm = () =>
      linkByGameCode(
        { guildId, chatUserId, chatUsername, game, method: 'game_code', ...word },
        chatUser(chatUserId, chatUsername),
      );
    const other = await buildPerson();
    await eventually(() => Members.findOne({ guildId, chatUserId }), 'the join');
    // The import looks, then stores that the member was seen, and then gives the account.
    const seen = stub(Members, 'upsert').callThrough();
    seen.onFirstCall().callsFake(async (...call) => {
      await confirm();
      return seen.wrappedMethod.apply(Members, call);
    });
    const pair = { chatUserId, chatUsername, game: { ...game, gameUserId: other.gameUserId } };
    const run = { importId: newId('pim', clock.now()), importedFrom: 'list' as const, from: clock.now() };
    const { voucher } = word;
    const outcome = await importAccount(guildId, pair, run, { voucher }, systemActor('test')).finally(() =>
      seen.restore(),
    );
    expect(outcome).to.equal('contradicting');
    expect((await member()).body).to.include({ gameUserId, importedFrom: null });
  });
});
