import { trusted } from 'mongoose';
import { Teammates } from '../../core/access/teammate-model.js';
import { readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { Members, memberIndexes } from '../members/member-model.js';

/**
 * A guild's people and Discord roles by name, under their id; unknown ids are left out. Throws ChatPlatformUnavailable.
 */
export async function namesOf(guildId: string, ids: readonly string[]): Promise<Record<string, string>> {
  const among = { guildId, chatUserId: trusted({ $in: [...ids] }) };
  const [facts, teammates, members] = await Promise.all([
    readGuildFacts(guildId),
    Teammates.find(among, { hint: { guildId: 1, chatUserId: 1 } }),
    Members.find(among, { hint: memberIndexes.chatUserId }),
  ]);
  const roles = ids.flatMap((id) => facts.roles.get(id) ?? []);
  return Object.fromEntries([
    ...roles.map(({ roleId, name }) => [roleId, name]),
    ...teammates.map(({ chatUserId, username }) => [chatUserId, username]),
    // A name from Discord is newer than the one in the invitation.
    ...members
      .filter(({ chatUsername }) => chatUsername !== '')
      .map(({ chatUserId, chatUsername }) => [chatUserId, chatUsername]),
  ]);
}
