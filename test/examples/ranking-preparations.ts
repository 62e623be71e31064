import { config } from '../../src/config/config.js';
import { LinkedGroups } from '../../src/core/groups/group-model.js';
import { type FilledGuild, sendAsOwner } from '../edges/http/walk-setup.js';
import { buildPerson } from '../support/build.js';
import { world } from '../support/world.js';

/** Lets the guild rank in a group by a key of this group's owner. */
export async function allowRanking(groupId: string, ownerId: string): Promise<void> {
  (await world()).roblox.setKey({ accountId: ownerId });
  (config().rankingGroups as Set<string>).add(groupId);
}

/** A person in the group of the walk, with its lowest rank. */
async function groupMember({ ids: { groupId = '' } }: FilledGuild): Promise<string> {
  const { gameUserId } = await buildPerson();
  (await world()).roblox.setRank(groupId, gameUserId, 1);
  return gameUserId;
}

export async function personToRank(filled: FilledGuild) {
  return { body: { gameUserId: await groupMember(filled), step: 1, reason: 'Passed the training' } };
}

export async function peopleToRank(filled: FilledGuild) {
  const changes = [await groupMember(filled), await groupMember(filled)].map((gameUserId) => ({ gameUserId, step: 1 }));
  return { body: { changes, reason: 'Passed the training' } };
}

/** A rank above their own. */
export async function rankToPreview(filled: FilledGuild) {
  const gameUserId = await groupMember(filled);
  const { groupId = '' } = filled.ids;
  const group = await LinkedGroups.findOne({ guildId: filled.guildId, groupId });
  const gameRoleId = group?.roles.find(({ rank }) => rank > 1 && rank < 255)?.gameRoleId;
  return { body: { gameUserId, gameRoleId } };
}

/** A change that has just been made. */
export async function rankToTakeBack(filled: FilledGuild) {
  const { body } = await personToRank(filled);
  const { groupId = '' } = filled.ids;
  const { changeId } = await sendAsOwner(filled, `/groups/${groupId}/ranks`, body);
  return { ids: { changeId } };
}

/** A person who asks to join the group of the walk. */
async function askingPerson({ ids: { groupId = '' } }: FilledGuild): Promise<string> {
  const { gameUserId } = await buildPerson();
  (await world()).roblox.requestToJoin(groupId, gameUserId);
  return gameUserId;
}

export async function requestsShown(filled: FilledGuild) {
  await askingPerson(filled);
  return {};
}

export async function requestToAnswer(filled: FilledGuild) {
  return { body: { decision: 'accept', gameUserIds: [await askingPerson(filled)], reason: 'Passed the interview' } };
}
