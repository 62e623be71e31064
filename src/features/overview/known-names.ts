import { trusted } from 'mongoose';
import { Teammates } from '../../core/access/teammate-model.js';
import { readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { Members, memberIndexes } from '../members/member-model.js';

/**
 * What people and Discord roles of a guild are called, by their ids; an id of nobody known there is left out. Throws
 * ChatPlatformUnavailable.
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
    // What Discord told of a member is newer than what they were called when they were invited.
    ...members
      .filter(({ chatUsername }) => chatUsername !== '')
      .map(({ chatUserId, chatUsername }) => [chatUserId, chatUsername]),
  ]);
}
