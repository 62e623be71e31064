import { expect } from 'chai';
import { systemActor } from '../../src/core/actors/actor.js';
import { findGroups } from '../../src/core/groups/group-service.js';
import { readSettings } from '../../src/core/settings/settings-service.js';
import { keepingUndo, undoChange } from '../../src/features/configuration/undo-service.js';
import { listAllMappings } from '../../src/features/mappings/mapping-service.js';
import { clock } from '../../src/lib/clock.js';
import { purgeRemembered } from '../../src/platforms/database/remembered.js';
import type { SandboxMessage } from '../sandbox/discord/sandbox-message.js';
import { buildGuild, buildMember, type TestGuild } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { labelsOf, privateAnswer } from './private-answer.js';
import { buildDiscordManager, distrustDiscordAdmins, giveTeamRole } from './team.js';

// CONF-35, CONF-36
describe('Preview, Resync now and Undo under a change', () => {
  let discord: World['discord'];
  let guild: TestGuild;
  let groupId: string;
  let role: string;

  beforeEach(async () => {
    const { roblox } = await world();
    ({ discord } = await world());
    guild = await buildGuild();
    role = discord.addRole(guild.guildId, { name: 'Builder' }).id;
    groupId = roblox.addGroup({ name: 'Builders' }).id;
    await guild.api.post(`${guild.path}/groups`, { groupId });
  });

  const use = (name: string, options: Record<string, string | number | boolean> = {}, chatUserId = guild.ownerId) =>
    privateAnswer(discord.command(guild.guildId, chatUserId, name, options));
  const press = (message: SandboxMessage, label: string, chatUserId = guild.ownerId) =>
    privateAnswer(discord.press(guild.guildId, chatUserId, message, label));
  const undo = async (message: SandboxMessage) => (await press(message, 'Undo')).words;
  const stored = async () => await listAllMappings(guild.guildId);
  const made = async () => (await stored()).map(({ condition, name, enabled }) => ({ condition, name, enabled }));

  // CONF-34, CONF-38
  it('Undo takes back each kind of change of a mapping, and the taking back', async () => {
    const added = await use('mapping verified', { role, name: 'All' });
    expect(labelsOf(added)).to.deep.equal(['Preview', 'Resync now', 'Undo']);
    const undone = await press(added, 'Undo');
    expect(undone.words).to.contain('Undone');
    expect(await stored()).to.deep.equal([]);
    await press(undone, 'Undo');
    expect(await made()).to.deep.equal([{ condition: { type: 'verified' }, name: 'All', enabled: true }]);

    const mapping = (await stored())[0]?._id ?? '';
    const before = await made();
    await undo(
      await use('mapping edit', { mapping, type: 'group_member', name: 'Crew', remove_when_unmatched: false }),
    );
    expect(await stored(), 'it is the same one').to.have.nested.property('[0]._id', mapping);
    expect(await made()).to.deep.equal(before);
    for (const change of [
      await use('mapping edit', { mapping, type: 'group_member', name: 'Crew' }),
      await use('mapping off', { mapping }),
      await use('mapping remove', { mapping }),
    ].toReversed()) {
      await undo(change);
    }
    expect(await made()).to.deep.equal(before);
  });

  it('Undo brings back a group with the mappings that went with it, and settings', async () => {
    await use('mapping member', { role });
    await use('mapping rank', { role, from: '100' });
    const before = await made();
    const removed = await use('group remove', { group: groupId, cascade: true });
    expect(await stored()).to.deep.equal([]);
    await undo(removed);
    expect(await made()).to.have.deep.members(before);
    expect((await findGroups(guild.guildId)).map((each) => each.groupId)).to.deep.equal([groupId]);

    const settings = await readSettings(guild.guildId);
    const changed = await use('settings set', { nickname_template: '{chatUsername}', unlink_takes_roles: false });
    await use('settings set', { link_on_join: false });
    await undo(changed);
    expect(await readSettings(guild.guildId)).to.deep.equal({ ...settings, autoLinkOnJoin: false });
  });

  // CONF-34
  it('Undo is refused with a reason after another change, an undo, or a day', async () => {
    const added = await use('mapping verified', { role });
    const mapping = (await stored())[0]?._id ?? '';
    const renamed = await use('mapping edit', { mapping, name: 'Other' });
    expect(await undo(added)).to.contain('some of it has been changed since');
    expect(await made()).to.deep.equal([{ condition: { type: 'verified' }, name: 'Other', enabled: true }]);
    await undo(renamed);
    await purgeRemembered(clock.now());
    expect(await undo(added), 'is what it made again').to.contain('Undone');
    const undoId = added.buttons.at(-1)?.customId?.split(':')[1] ?? '';
    const again = await undoChange(guild.guild, systemActor('test'), undoId).catch((error: Error) => error.message);
    expect(again).to.contain('was already undone, or a day has passed');

    const late = await use('mapping verified', { role });
    await purgeRemembered(new Date(clock.epochMs() + 24 * 60 * 60_000 + 1));
    expect(await undo(late)).to.contain('a day has passed');
    expect(await stored()).to.have.length(1);
  });

  it('Undo of an edited mapping leaves another admin’s change of the same moment', async () => {
    const mapping = (await use('mapping verified', { role }).then(stored))[0]?._id ?? '';
    const rename = async (name: string) => {
      const draft = { name, condition: { type: 'verified' }, roleIds: [role] };
      return (await guild.api.put(`${guild.path}/mappings/${mapping}`, draft)).status;
    };
    const outcomes = new Set<string>();
    for (let wait = 0; wait < 30; wait += 1) {
      await rename(`First ${wait}`);
      const { undoId } = await keepingUndo(guild.guild, () => rename(`Second ${wait}`));
      const undoing = undoChange(guild.guild, systemActor('test'), undoId ?? '').then(
        () => 'undone',
        (error: Error) => error.message,
      );
      await new Promise((resolve) => setTimeout(resolve, wait % 10));
      expect(await rename(`Third ${wait}`)).to.equal(200);
      outcomes.add(await undoing);
      expect((await stored())[0]?.name).to.equal(`Third ${wait}`);
    }
    const refused = "This can't be undone: some of it has been changed since. Nothing has been changed now.";
    expect(['undone', refused]).to.include.members([...outcomes]);
  });

  it('A change of nothing offers no buttons to undo it', async () => {
    expect(labelsOf(await use('settings set', {}))).to.deep.equal([]);
  });

  // CONF-37
  it('Undo needs the role that the change needed, as it is now', async () => {
    const { chatUserId } = await buildDiscordManager(guild);
    const settings = await use('settings set', { link_on_join: false }, chatUserId);
    await distrustDiscordAdmins(guild);
    await giveTeamRole(guild, chatUserId, 'manager');
    expect((await press(settings, 'Undo', chatUserId)).words).to.contain('Only admins can undo');
    const group = await use('group remove', { group: groupId }, chatUserId);
    expect((await press(group, 'Undo', chatUserId)).words).to.contain('Undone');
  });

  // CONF-34
  it('Preview shows the result of the change, and Resync now begins a resync', async () => {
    const person = await buildMember(guild);
    const added = await use('mapping verified', { role });
    const shown = await press(added, 'Preview');
    expect(shown.words).to.contain(`gets <@&${role}>`).and.contain(person.chatUserId);
    expect(labelsOf(shown)).to.deep.equal(['Apply exactly this', 'Undo']);
    const again = await use('mapping off', { mapping: (await stored())[0]?._id ?? '' });
    expect((await press(again, 'Resync now')).words).to.contain('**Resync**');
  });
});
