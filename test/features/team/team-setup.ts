import { PermissionFlagsBits } from 'discord.js';
import { Teammates } from '../../../src/core/access/teammate-model.js';
import type { GrantableRole } from '../../../src/core/actors/team-roles.js';
import type { AuditEntry } from '../../../src/core/audit/audit-service.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { type Api, asPerson } from '../../support/api.js';
import { buildMember, buildPerson, type TestGuild, type TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';

export type TestTeammate = TestPerson & { api: Api };

/** A person in a guild's team, signed in; `active` unless said otherwise. */
export async function buildTeammate(
  { guildId, ownerId: invitedBy }: TestGuild,
  role: GrantableRole,
  state: 'active' | 'invited' = 'active',
): Promise<TestTeammate> {
  const person = await buildPerson();
  const { chatUserId, username } = person;
  await Teammates.insert({ guildId, chatUserId, username, role, state, invitedBy, invitedAt: new Date() });
  return { ...person, api: await asPerson(person) };
}

/** A signed-in member that is admin only by a Discord role with Manage Server. */
export async function buildDiscordAdmin(guild: TestGuild): Promise<TestTeammate & { roleId: string }> {
  const { discord } = await world();
  const { id: roleId } = discord.addRole(guild.guildId, {
    name: 'Staff',
    permissions: PermissionFlagsBits.ManageGuild,
  });
  const person = await buildMember(guild, { linked: false, roleIds: [roleId] });
  return { ...person, roleId, api: await asPerson(person) };
}

/** The guild's log entries about its team and tokens, newest first: action, target, and change. */
export async function teamEntries({
  guildId,
}: TestGuild): Promise<Pick<AuditEntry, 'actor' | 'action' | 'target' | 'changes'>[]> {
  const entries = await latestEntries(guildId, 200);
  return entries
    .filter(({ action }) => /^(teammate|token)\./.test(action))
    .map(({ actor, action, target, changes }) => ({
      actor,
      action,
      target,
      ...(changes !== undefined && { changes }),
    }));
}

export const storedTeammate = ({ guildId }: TestGuild, { chatUserId }: { chatUserId: string }) =>
  Teammates.findOne({ guildId, chatUserId });
