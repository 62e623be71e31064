import { PermissionFlagsBits } from 'discord.js';
import { Teammates } from '../../src/core/access/teammate-model.js';
import type { GrantableRole } from '../../src/core/actors/team-roles.js';
import { defaultSettings } from '../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../src/core/settings/settings-service.js';
import { buildMember, type TestGuild, type TestPerson } from '../support/build.js';
import { world } from '../support/world.js';

/** A member with Discord's view on managers' commands, by a role with Manage Server at `position`. */
export async function buildDiscordManager(guild: TestGuild, position?: number): Promise<TestPerson> {
  const { discord } = await world();
  const permissions = PermissionFlagsBits.ManageGuild;
  const input = { name: 'Staff', permissions, ...(position !== undefined && { position }) };
  const { id } = discord.addRole(guild.guildId, input);
  return buildMember(guild, { linked: false, roleIds: [id] });
}

/** Lets Discord's permissions no longer count as team roles. */
export async function distrustDiscordAdmins({ guildId }: TestGuild): Promise<void> {
  await writeSettings(guildId, { ...defaultSettings, trustDiscordAdmins: false });
}

export async function giveTeamRole(
  { guildId, ownerId: invitedBy }: TestGuild,
  chatUserId: string,
  role: GrantableRole,
): Promise<void> {
  const invitation = { state: 'active', invitedBy, invitedAt: new Date() } as const;
  await Teammates.insert({ guildId, chatUserId, username: 'teammate', role, ...invitation });
}
