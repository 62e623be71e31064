import { chatUser } from '../../../src/core/actors/actor.js';
import { linkAccount } from '../../../src/features/accounts/account-service.js';
import { asPerson } from '../../support/api.js';
import { buildMember, buildPerson, type TestGuild, type TestPerson } from '../../support/build.js';

/** Gives a person another account, which no server uses yet. */
export async function addOther(
  { chatUserId, username: chatUsername }: TestPerson,
  options: Parameters<typeof buildPerson>[0] = {},
): Promise<TestPerson> {
  const other = await buildPerson(options);
  const { gameUserId, gameUsername } = other;
  const game = { gameUserId, gameUsername, gameDisplayName: gameUsername };
  const proof = { chatUserId, chatUsername, guildId: null, game, method: 'oauth', use: 'here' } as const;
  await linkAccount(proof, chatUser(chatUserId, chatUsername));
  return other;
}

/** The status when wishing to use another account than the main one in a guild. */
export async function usesOther(guild: TestGuild): Promise<number> {
  const person = await buildMember(guild);
  const { gameUserId } = await addOther(person);
  const me = await asPerson(person);
  return (await me.put(`/api/auth/me/accounts/${gameUserId}`, { guildIds: [guild.guildId] })).status;
}
