import { expect } from 'chai';
import { type AuditEntry, AuditLog } from '../../../src/core/audit/audit-model.js';
import { privateAnswer, privateWords } from '../../commands/private-answer.js';
import { cookiesOf } from '../../support/api.js';
import { buildGuild, buildMember, buildPerson, eventually, linkPerson, type TestGuild } from '../../support/build.js';
import { type World, world } from '../../support/world.js';

/** A Discord snowflake: interactions have one, our requests and jobs do not. */
const interactionId = /^\d{17,20}$/;

// LOG-1
describe('Changes through other doors than the API', () => {
  let discord: World['discord'];
  let guild: TestGuild;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
  });

  /** The newest entry for an action with this actor or target. */
  const entryOf = (action: AuditEntry['action'], personId: string): Promise<AuditEntry> =>
    eventually(
      () =>
        AuditLog.acrossGuilds
          .findOne({ action, $or: [{ 'actor.id': personId }, { 'target.id': personId }] })
          .sort({ at: -1 })
          .lean<AuditEntry>(),
      `an entry ${action} of ${personId}`,
    );

  it('A command leaves an entry with its interaction', async () => {
    await privateWords(discord.command(guild.guildId, guild.ownerId, 'panel'));
    const { _id, at, requestId, ...entry } = await entryOf('panel.posted', guild.ownerId);
    expect(requestId).to.match(interactionId);
    expect(entry).to.deep.include({
      guildId: guild.guildId,
      target: { kind: 'channel', id: discord.channel(guild.guildId).id },
    });
    expect(entry.actor)
      .to.include({ kind: 'user', id: guild.ownerId })
      .and.property('name')
      .that.matches(/^owner/);
  });

  it('A button leaves an entry with its interaction', async () => {
    const person = await buildMember(guild);
    const question = await privateAnswer(discord.command(guild.guildId, person.chatUserId, 'unlink'));
    await privateAnswer(discord.press(guild.guildId, person.chatUserId, question, 'Unlink'));
    const everywhere = await entryOf('account.unlinked', person.chatUserId);
    const actor = { kind: 'user', id: person.chatUserId, name: person.username };
    expect(everywhere).to.deep.include({ guildId: 'platform', actor });
    expect(everywhere.changes).to.deep.equal({
      gameUserId: { from: person.gameUserId, to: null },
      reason: { from: null, to: 'self' },
    });
    const here = await entryOf('member.unlinked', person.chatUserId);
    expect(here).to.deep.include({ guildId: guild.guildId, actor });
    for (const { requestId } of [everywhere, here]) expect(requestId).to.match(interactionId);
  });

  it('A removal of the bot from a server, and its return, each leave a log entry', async () => {
    const { guildId } = guild;
    const actions = async () =>
      (await AuditLog.find({ guildId }, { sort: { at: 1 } })).map(({ action, actor }) => `${action} by ${actor.id}`);
    discord.renameGuild(guildId, 'Renamed');
    discord.removeBot(guildId);
    await entryOf('guild.left', guildId);
    discord.addBot(guildId);
    await eventually(async () => (await actions()).length === 3, 'three entries');
    expect(await actions()).to.deep.equal([
      'guild.joined by discord',
      'guild.left by discord',
      'guild.joined by discord',
    ]);
  });

  it('Signing in and out each leave an entry in the platform’s log', async () => {
    const { url } = await world();
    const { chatUserId, username } = await buildPerson();
    const begun = await fetch(`${url}/api/auth/login`, { redirect: 'manual' });
    const back = discord.authorize(begun.headers.get('location') ?? '', chatUserId);
    const headers = { cookie: cookiesOf(begun), 'x-request-id': `in-${chatUserId}` };
    const ended = await fetch(back, { redirect: 'manual', headers });
    const person = { kind: 'person', id: chatUserId, name: username };
    const told = { guildId: 'platform', actor: { kind: 'user', id: chatUserId, name: username }, target: person };
    const signedIn = await entryOf('session.started', chatUserId);
    expect(signedIn).to.deep.include({ ...told, requestId: `in-${chatUserId}` });
    const out = { cookie: cookiesOf(ended), origin: url, 'x-request-id': `out-${chatUserId}` };
    expect((await fetch(`${url}/api/auth/logout`, { method: 'POST', headers: out })).status).to.equal(204);
    expect(await entryOf('session.ended', chatUserId)).to.deep.include({ ...told, requestId: `out-${chatUserId}` });
  });

  it('A person whose account is lost to another person’s proof gets an entry in every server', async () => {
    const [former, winner] = [await buildPerson(), await buildPerson()];
    await linkPerson(null, former);
    await linkPerson(null, { ...winner, gameUserId: former.gameUserId, gameUsername: former.gameUsername });
    const { changes, target } = await entryOf('account.unlinked', former.chatUserId);
    expect(target).to.deep.equal({ kind: 'account', id: former.chatUserId, name: former.gameUsername });
    expect(changes).to.deep.equal({
      gameUserId: { from: former.gameUserId, to: null },
      reason: { from: null, to: 'transferred' },
    });
  });

  it('The entry of a proof reports that it has lifted an admin’s block', async () => {
    const person = await buildMember(guild);
    expect((await guild.api.delete(`${guild.path}/members/${person.chatUserId}/link`)).status).to.equal(204);
    await linkPerson(guild.guildId, person);
    const { changes } = await entryOf('member.linked', person.chatUserId);
    expect(changes).to.deep.equal({
      gameUserId: { from: null, to: person.gameUserId },
      autoLinkBlocked: { from: true, to: false },
    });
  });
});
