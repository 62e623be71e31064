import { type AuditEntry, latestEntries } from '../../../src/core/audit/audit-service.js';
import { jobStats, plannedRuns } from '../../../src/platforms/jobs/runs.js';
import type { TestGuild } from '../../support/build.js';
import { eventually } from '../../support/build.js';
import { world } from '../../support/world.js';

/** A guild's role that the service knows, by its id. */
export async function buildRole(
  { guildId, api, path }: TestGuild,
  input: { name: string; permissions?: bigint; position?: number; managed?: boolean; color?: number },
): Promise<string> {
  const { discord } = await world();
  const { id } = discord.addRole(guildId, input);
  await eventually(async () => {
    const { body } = await api.get(`${path}/roles?limit=100`);
    return body.data.some(({ roleId }: { roleId: string }) => roleId === id);
  }, `the role ${input.name}`);
  return id;
}

export async function mapVerified({ api, path }: TestGuild, roleIds: string[], name?: string): Promise<string> {
  const { status, body } = await api.post(`${path}/mappings`, { condition: { type: 'verified' }, roleIds, name });
  if (status !== 201) throw new Error(`the mapping was refused: ${JSON.stringify(body)}`);
  return body.mappingId;
}

/** A guild's roles as the API returns them, highest first. */
export async function rolesOf({ api, path }: TestGuild) {
  const { status, body } = await api.get(`${path}/roles?limit=100`);
  if (status !== 200) throw new Error(`the roles were refused: ${JSON.stringify(body)}`);
  return body.data;
}

/** One role as the API shows it, once `holds` is true. */
export function roleWhen(
  guild: TestGuild,
  roleId: string,
  holds: (role: { assignable: boolean; reason: string | null }) => boolean,
) {
  return eventually(async () => {
    const role = (await rolesOf(guild)).find((candidate: { roleId: string }) => candidate.roleId === roleId);
    return role !== undefined && holds(role) ? role : null;
  }, `the role ${roleId}`);
}

/** Deletes a role, and waits until the service knows. */
export async function deleteRole(guild: TestGuild, roleId: string): Promise<void> {
  const { discord } = await world();
  discord.deleteRole(guild.guildId, roleId);
  await eventually(
    async () => (await rolesOf(guild)).every((role: { roleId: string }) => role.roleId !== roleId),
    'the deletion',
  );
}

const job = 'log-mapped-roles';

/** When the guild's roles are compared next, if it is planned. */
export const nextComparison = (guildId: string): Date | undefined =>
  plannedRuns().find(({ name, id }) => name === job && id === guildId)?.at;

/** Waits until no comparison for the guild's roles is planned or running. */
export async function rolesSettled({ guildId }: TestGuild): Promise<void> {
  const isOver = () => nextComparison(guildId) === undefined && jobStats()[job]?.running === 0;
  await eventually(isOver, 'the end of the comparisons');
}

/** The guild's log entries about roles and permissions, oldest first. */
export async function roleEntries({ guildId }: TestGuild): Promise<AuditEntry[]> {
  const entries = await latestEntries(guildId, 100);
  return entries.filter(({ action }) => /^(role|permission)\./.test(action)).reverse();
}

/** The same, once there are `count`, each as `action target`. */
export async function loggedWhen(guild: TestGuild, count: number): Promise<string[]> {
  const entries = await eventually(async () => {
    const found = await roleEntries(guild);
    return found.length >= count ? found : null;
  }, `${count} entries`);
  return entries.map(({ action, target }) => `${action} ${target.name ?? target.id}`);
}
