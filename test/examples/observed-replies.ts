import { PermissionFlagsBits } from 'discord.js';
import { stringify } from 'yaml';
import { chatUser } from '../../src/core/actors/actor.js';
import { changeSettings } from '../../src/core/settings/settings-change.js';
import { readConfig } from '../../src/features/configuration/config-service.js';
import { findMember } from '../../src/features/members/member-service.js';
import { readMove } from '../../src/features/setup/server-move.js';
import { mapTo } from '../features/sync/sync-setup.js';
import type { SandboxMessage } from '../sandbox/discord/sandbox-message.js';
import { runPendingSyncs } from '../support/background.js';
import { buildGuild, buildPerson, eventually, linkPerson } from '../support/build.js';
import { world } from '../support/world.js';
import { nameAll, type Transcript } from './transcript.js';

/** A server with another bot that gives the roles: Rolelink's answers in observe mode. */
export async function observed(transcript: Transcript, groupId: string): Promise<void> {
  const { discord, roblox } = await world();
  transcript.section('Observing beside another bot');
  const guild = await buildGuild();
  const { guildId, ownerId, path, api } = guild;
  await api.post(`${path}/groups`, { groupId });
  await changeSettings(guild.guild, chatUser(ownerId, 'owner'), (settings) => ({ ...settings, mode: 'observe' }));
  const command = async (userId: string, who: string, name: string, options: Record<string, string> = {}) => {
    await nameAll(transcript, guildId);
    const told = Object.entries(options).map(([option, value]) => ` ${option}:${value}`);
    const asked = discord.command(guildId, userId, name, options);
    return transcript.hear(`**${who}** uses \`/${name}${told.join('')}\``, asked);
  };
  const [captain = ''] = await mapTo(guild, { type: 'group_rank', groupId, min: 200, max: 255 });
  const [verified = ''] = await mapTo(guild, { type: 'verified' });
  /** A person with a rank in the group, null outside it, and these roles. */
  const join = async (rank: number | null, roleIds: string[], isLinked = true): Promise<string> => {
    const person = await buildPerson();
    if (rank !== null) roblox.setRank(groupId, person.gameUserId, rank);
    discord.join(guildId, person.chatUserId, { roleIds });
    if (isLinked) await linkPerson(guildId, person);
    await eventually(async () => {
      await runPendingSyncs(guildId);
      return (await findMember(guildId, person.chatUserId))?.differs === true;
    }, 'the difference');
    return person.chatUserId;
  };
  const ann = await join(200, []);
  await join(1, [captain, verified]);
  await join(null, [captain, verified]);
  await join(null, [verified], false);
  await command(ownerId, 'Olga', 'settings mode', { mode: 'observe' });
  await command(ann, 'Ann', 'update');
  await command(ownerId, 'Olga', 'differences');
  const { id: other } = discord.addRole(guildId, { name: 'Other' });
  await command(ownerId, 'Olga', 'differences', { role: other });
  discord.addRole(guildId, { name: 'Bloxlink', permissions: PermissionFlagsBits.ManageRoles, managed: true });
  await eventually(async () => (await readMove(guild.guild)).otherBots.length === 1, 'the other bot');
  const { config } = await readConfig(guild.guild);
  const file = stringify({ ...config, settings: { ...config.settings, mode: 'enforce', autoLinkOnJoin: false } });
  const given = { file: discord.upload('rolelink.yaml', file) };
  await transcript.hear('**Olga** uses `/config apply`', discord.command(guildId, ownerId, 'config apply', given));
  const press = async (message: SandboxMessage, label: string) => {
    await nameAll(transcript, guildId);
    return transcript.hear(`**Olga** presses *${label}*`, discord.press(guildId, ownerId, message, label));
  };
  const steps = await press(await command(ownerId, 'Olga', 'setup'), 'Coming from another bot?');
  await press(steps, 'Skip');
  await changeSettings(guild.guild, chatUser(ownerId, 'owner'), (settings) => ({ ...settings, mode: 'enforce' }));
  await command(ownerId, 'Olga', 'differences', { role: other });
}
