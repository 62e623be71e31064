import { eventually, type TestGuild, type TestPerson } from '../../support/build.js';
import { rolesOf } from '../sync/sync-setup.js';

/** Waits until the person holds these roles in the guild, and no others. */
export async function rolesBecome(
  guild: TestGuild,
  person: Pick<TestPerson, 'chatUserId'>,
  roleIds: readonly string[],
): Promise<void> {
  await eventually(async () => {
    const held = await rolesOf(guild, person);
    return held?.length === roleIds.length && roleIds.every((roleId) => held.includes(roleId));
  }, 'the roles');
}
