import { type QueryFilter, trusted, type UpdateQuery } from 'mongoose';
import type { ErasedPerson } from '../../core/actors/actor.js';
import { guildsNamingGame } from '../../core/audit/audit-anonymity.js';
import { findPresentGuild } from '../../core/guilds/guild-service.js';
import { readSettings } from '../../core/settings/settings-service.js';
import type { InGuild } from '../../platforms/database/guild-model.js';
import { outboxIsEmpty } from '../../platforms/events/outbox.js';
import { erasedChoice, type Member, Members, memberIndexes, namelessOne } from '../members/member-model.js';
import { Accounts, ofPerson, type StoredAccount } from './account-model.js';

/**
 * Removes a person from each guild that has taken back their roles, as its settings require, and delivered its
 * webhooks. In guilds that are suspended or that the bot has left, nothing is awaited. A link made after the request
 * stays. Returns false if there is something to wait for.
 */
export async function eraseMemberships({ chatUserId, requestedAt }: ErasedPerson): Promise<boolean> {
  let areGone = true;
  for await (const member of Members.acrossGuilds.find({ chatUserId }).lean<Member>().cursor()) {
    const isNew = member.state === 'linked' && member.linkedAt !== undefined && member.linkedAt > requestedAt;
    if (!isNew && member.chatUsername !== namelessOne && !(await eraseMembership(member))) areGone = false;
  }
  return areGone;
}

const gameFields = ['gameUserId', 'chosenGameUserId', 'adminUnlink.gameUserId', 'wentBy.gameUserId'] as const;

/** The guilds that have used one account of a person, by their member there and by the log. */
export async function guildsThatUsed(chatUserId: string, gameUserId: string): Promise<string[]> {
  const naming = gameFields.map((field) => ({ [field]: gameUserId }));
  const [members, logged] = await Promise.all([
    Members.acrossGuilds
      .find({ chatUserId, $or: naming }, { guildId: 1 })
      .hint({ chatUserId: 1 })
      .lean<Pick<Member, 'guildId'>[]>(),
    guildsNamingGame(chatUserId, gameUserId),
  ]);
  return [...new Set([...members.map(({ guildId }) => guildId), ...logged])];
}

/**
 * Whether the syncs of a person in these guilds are over and told, so that nothing about their last account follows. In
 * guilds that are suspended or that the bot has left, no sync is awaited.
 */
export async function areInStep(chatUserId: string, guildIds: readonly string[]): Promise<boolean> {
  for (const guildId of guildIds) {
    const guild = await findPresentGuild(guildId);
    const isServed = guild !== null && guild.state === 'active';
    const waits = [{ 'outbox.0': trusted({ $exists: true }) }, { owedSync: trusted({ $exists: true }) }];
    const which = { guildId, chatUserId, $or: isServed ? waits : waits.slice(0, 1) };
    if ((await Members.count(which, { hint: memberIndexes.chatUserId })) > 0) return false;
  }
  return true;
}

/**
 * Removes everything about one account of a person from their members after its end. A guild with this choice is
 * shown no other one (ID-96), so the choice stays without its id. In guilds that have used it, the nicknames of past
 * syncs go, and one that the end of the link has left in place is no longer ours.
 */
export async function forgetGame(chatUserId: string, gameUserId: string, guildIds: readonly string[]): Promise<void> {
  const change = async (which: QueryFilter<Member>, update: UpdateQuery<Member>) => {
    await Members.acrossGuilds.updateMany({ chatUserId, ...which }, update).hint({ chatUserId: 1 });
  };
  await change({ chosenGameUserId: gameUserId }, { $set: { chosenGameUserId: erasedChoice } });
  await change({ 'adminUnlink.gameUserId': gameUserId }, { $unset: { adminUnlink: 1 } });
  await change({ 'wentBy.gameUserId': gameUserId }, { $unset: { wentBy: 1 } });
  const there = { guildId: trusted({ $in: [...guildIds] }) };
  await change({ ...there, state: trusted({ $ne: 'linked' as const }) }, { $unset: ofNickname });
  const named = { ...there, 'syncs.0': trusted({ $exists: true }) };
  await Members.acrossGuilds.updateMany({ chatUserId, ...named }, [{ $set: { syncs: namelessSyncs } }], {
    updatePipeline: true,
  });
}

const ofNickname = { givenNickname: 1, askedNickname: 1, erasing: 1 } as const;

const namelessSyncs = {
  $map: {
    input: '$syncs',
    as: 'sync',
    in: {
      $arrayToObject: {
        $filter: {
          input: { $objectToArray: '$$sync' },
          as: 'field',
          cond: { $not: [{ $in: ['$$field.k', ['nickname', 'nicknameRefused']] }] },
        },
      },
    },
  },
};

/** The times at which a person was linked: to their account, and in each guild. */
export async function linkTimesOf(chatUserId: string): Promise<Date[]> {
  const [accounts, members] = await Promise.all([
    Accounts.find(ofPerson(chatUserId), { linkedAt: 1 }).lean<Pick<StoredAccount, 'linkedAt'>[]>(),
    Members.acrossGuilds.find({ chatUserId }, { linkedAt: 1 }).lean<Pick<Member, 'linkedAt'>[]>(),
  ]);
  return [...accounts, ...members].flatMap((linked) => linked?.linkedAt ?? []);
}

/** Fields removed from a member that stays only to record that they were unlinked. */
const ofMember = {
  chatAvatar: 1,
  pending: 1,
  givenNickname: 1,
  askedNickname: 1,
  namelessAs: 1,
  owedSync: 1,
  applying: 1,
  erasing: 1,
  kicking: 1,
  blockedBy: 1,
  refused: 1,
  wentBy: 1,
  left: 1,
  restored: 1,
  differs: 1,
  contested: 1,
  consent: 1,
  consentAskedAt: 1,
  adminUnlink: 1,
  leftOut: 1,
  facts: 1,
  chosenGameUserId: 1,
} as const;

async function eraseMembership({ guildId, chatUserId, state, present }: Member): Promise<boolean> {
  const [guild, { unlink }] = await Promise.all([findPresentGuild(guildId), readSettings(guildId)]);
  const isServed = guild !== null && guild.state === 'active';
  const done: InGuild<Member> = {
    guildId,
    chatUserId,
    state: trusted({ $in: ['joined', 'unlinked'] }),
    ...outboxIsEmpty,
    ...(isServed && { owedSync: trusted({ $exists: false }) }),
  };
  if (state !== 'unlinked' || !present || unlink.removeRoles) return (await Members.remove(done)) !== null;
  const erased = await Members.update(done, {
    $set: { chatUsername: namelessOne, names: [], syncs: [], autoLinkBlocked: false },
    $unset: ofMember,
  });
  return erased !== null;
}
