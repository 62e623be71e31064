import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { findAccount } from '../../src/features/accounts/account-service.js';
import { readConfig } from '../../src/features/configuration/config-service.js';
import { findMember } from '../../src/features/members/member-service.js';
import { Plans } from '../../src/features/sync/plan/plan-model.js';
import { buildResyncGuild, memberWrites, resyncWhere } from '../features/sync/resync-setup.js';
import { buildGroupGuild, mapTo, setSettings } from '../features/sync/sync-setup.js';
import { asPerson } from '../support/api.js';
import { buildGuild, buildMember, buildPerson, linkPerson, type TestPerson } from '../support/build.js';
import { factsWhere } from '../support/events.js';
import { type World, world } from '../support/world.js';
import { privateAnswer } from './private-answer.js';

// DISC-17
describe('Buttons below an earlier answer', () => {
  let discord: World['discord'];

  before(async () => {
    ({ discord } = await world());
  });

  /** The person proves another Roblox account than the one that they had. */
  async function replaceAccount(guildId: string, person: TestPerson): Promise<TestPerson> {
    const { gameUserId, gameUsername } = await buildPerson();
    const other = { ...person, gameUserId, gameUsername };
    await linkPerson(guildId, other);
    return other;
  }

  it('The button of /unlink unlinks the named account, and asks again about another one', async () => {
    const { guildId, ...guild } = await buildGuild();
    const person = await buildMember({ guildId, ...guild });
    const question = await privateAnswer(discord.command(guildId, person.chatUserId, 'unlink'));
    const other = await replaceAccount(guildId, person);
    const press = (message: typeof question) =>
      privateAnswer(discord.press(guildId, person.chatUserId, message, 'Unlink'));
    const anew = await press(question);
    expect(anew.words).to.contain(other.gameUsername).and.contain('every server');
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: other.gameUserId });
    expect((await press(anew)).words).to.contain('unlinked in every server');
    expect(await findAccount(person.chatUserId)).to.equal(null);
  });

  // API-67
  it('DELETE …/unlink removes only the account that it names, as the page “You” needs it', async () => {
    const { guildId, ...guild } = await buildGuild();
    const person = await buildMember({ guildId, ...guild });
    const me = await asPerson(person);
    const other = await replaceAccount(guildId, person);
    const remove = (gameUserId: string) => me.delete(`/api/verification/unlink?gameUserId=${gameUserId}`);
    const refused = await remove(person.gameUserId);
    expect([refused.status, refused.body.code]).to.deep.equal([404, 'not_linked']);
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: other.gameUserId });
    expect((await remove(other.gameUserId)).status).to.equal(204);
  });

  it('The button of /verify shows a server the named account, and asks again about another one', async () => {
    const guild = await buildGroupGuild();
    await mapTo(guild, { type: 'verified' });
    await setSettings(guild, { reveal: 'ask' });
    const person = await buildPerson();
    await linkPerson(null, person);
    await buildMember(guild, { person, linked: false });
    const member = () => findMember(guild.guildId, person.chatUserId);
    const question = await privateAnswer(discord.command(guild.guildId, person.chatUserId, 'verify'));
    expect(question.words).to.contain(person.gameUsername);
    const { gameUserId, gameUsername } = await buildPerson();
    await linkPerson(null, { ...person, gameUserId, gameUsername });
    const press = (message: typeof question) =>
      privateAnswer(discord.press(guild.guildId, person.chatUserId, message, 'Show my account'));
    const anew = await press(question);
    expect(anew.words).to.contain(gameUsername).and.contain('May');
    expect(await member()).to.not.include({ state: 'linked' });
    expect((await press(anew)).words).to.contain('can see your Roblox account');
    expect(await member()).to.include({ state: 'linked', gameUserId });
  });

  it('The button Confirm confirms the losses that a resync was held for, and shows other losses first', async () => {
    const { roblox } = await world();
    const guild = await buildResyncGuild({ count: 6 });
    await setSettings(guild, { massRemoval: { sharePercent: 20, people: 2 } });
    for (const { gameUserId } of guild.people.slice(0, 3)) roblox.leaveGroup(guild.groupId, gameUserId);
    const { jobId } = (await guild.api.post(`${guild.path}/resync`)).body;
    const held = (losing: number) =>
      resyncWhere(guild, jobId, ({ awaitingConfirmation }) => awaitingConfirmation?.losing === losing);
    await held(3);
    const seen = await privateAnswer(discord.command(guild.guildId, guild.ownerId, 'resync status'));
    for (const { gameUserId } of guild.people.slice(3, 5)) roblox.leaveGroup(guild.groupId, gameUserId);
    await guild.api.post(`${guild.path}/resync`, { confirm: jobId });
    await held(5);
    const press = (message: typeof seen) =>
      privateAnswer(discord.press(guild.guildId, guild.ownerId, message, 'Confirm'));
    const anew = await press(seen);
    expect(anew.words).to.contain('has changed since').and.contain('5 members');
    for (const losing of [3, 6]) {
      const refused = await guild.api.post(`${guild.path}/resync`, { confirm: jobId, losing });
      expect([refused.status, refused.body.code]).to.deep.equal([409, 'nothing_to_confirm']);
    }
    expect(await memberWrites(guild.guildId)).to.deep.equal([]);
    await press(anew);
    await resyncWhere(guild, jobId, ({ state }) => state === 'completed');
    expect((await Plans.findOne({ guildId: guild.guildId, _id: jobId }))?.applied.changed).to.equal(5);
  });

  // API-68
  it('A group is removed only with the mappings that were counted, and refused when there are others', async () => {
    const guild = await buildGroupGuild();
    const condition = { type: 'group_member', groupId: guild.groupId } as const;
    await mapTo(guild, condition);
    await mapTo(guild, { type: 'not', of: condition });
    const remove = (mappings: string) =>
      guild.api.delete(`${guild.path}/groups/${guild.groupId}?cascade=true&mappings=${mappings}`);
    const refused = await remove('1');
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'group_in_use']);
    expect((await guild.api.get(`${guild.path}/mappings`)).body.data).to.have.length(2);
    expect((await remove('02')).status).to.equal(400);
    expect((await remove('2')).status).to.equal(204);
  });

  it('A configuration is not applied when one of its roles has become dangerous since the review', async () => {
    const guild = await buildGroupGuild();
    const [roleId = ''] = await mapTo(guild, { type: 'unverified' });
    const { config } = await readConfig(guild.guild);
    const [mapping] = config.mappings;
    const wish = { ...config, mappings: [{ ...mapping, condition: { type: 'verified' } }] };
    const file = discord.upload('config.json', JSON.stringify(wish));
    const review = () => privateAnswer(discord.command(guild.guildId, guild.ownerId, 'config apply', { file }));
    const seen = await review();
    discord.updateRole(guild.guildId, roleId, { permissions: PermissionFlagsBits.Administrator });
    await factsWhere(guild.guildId, ({ roles }) => roles.get(roleId)?.permissions !== 0n);
    const press = (message: typeof seen, label: string) =>
      privateAnswer(discord.press(guild.guildId, guild.ownerId, message, label));
    expect((await press(seen, 'Apply 2 changes')).words).to.contain('changed since you read it');
    expect((await readConfig(guild.guild)).config.mappings[0]?.condition).to.deep.equal({ type: 'unverified' });
    const anew = await review();
    expect(anew.words).to.contain('Administrator');
    expect((await press(anew, 'Apply 2 changes')).words).to.contain('2 changes were made');
  });

  // API-67
  it('DELETE …/members/:memberId/link unlinks a member only from the account that the page has shown', async () => {
    const guild = await buildGuild();
    const person = await buildMember(guild);
    const other = await replaceAccount(guild.guildId, person);
    const unlink = (gameUserId: string) =>
      guild.api.delete(`${guild.path}/members/${person.chatUserId}/link?gameUserId=${gameUserId}`);
    const refused = await unlink(person.gameUserId);
    expect([refused.status, refused.body.code]).to.deep.equal([404, 'member_not_found']);
    expect(await findMember(guild.guildId, person.chatUserId)).to.include({ state: 'linked' });
    expect((await unlink(other.gameUserId)).status).to.equal(204);
  });
});
