import { trusted } from 'mongoose';
import PQueue from 'p-queue';
import { systemActor } from '../../core/actors/actor.js';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { minuteMs } from '../../lib/time.js';
import { readMember } from '../../platforms/discord/guild-members.js';
import { linksByItself } from '../members/consent-rules.js';
import { type GameIdentity, type Member, Members } from '../members/member-model.js';
import { memberSeen } from '../members/member-service.js';
import type { PendingSync } from '../members/member-sync-fields.js';
import type { StoredMember } from '../members/page-presence.js';
import { isOldEnough } from './account-age.js';
import { candidatesOf, gameOf, wordOf } from './account-in-use.js';
import { Accounts, countingIn, idsIn, personOfAccount, type StoredAccount } from './account-model.js';
import { linkKnownMember } from './account-settling.js';

const concurrency = 8;
/** A resync finishes a page of people within this time; otherwise they get their own sync. */
const resyncWithinMs = 10 * minuteMs;

/** An account by which a member is linked; `word` for a guild's word, and absent for a proof. */
export type KnownLink = GameIdentity & Pick<Partial<Member>, 'word'>;

/**
 * The game accounts by which these people would be linked in a guild under its settings: proved elsewhere, or joined
 * unseen (RESYNC-28). Without `jobId` nothing is written. With it they are linked, and the resync with this id
 * completes their pending sync.
 */
export async function linkMissing(
  guildId: string,
  people: Iterable<StoredMember>,
  settings: GuildSettings,
  jobId?: string,
): Promise<Map<string, KnownLink>> {
  const links = new Map<string, KnownLink>();
  const mayCount = (account: StoredAccount) => isOfAge(account, settings);
  const link = async (account: StoredAccount) => {
    const game = gameOf(account);
    const chatUserId = personOfAccount(account);
    const isLinked = jobId === undefined ? mayCount(account) : await linkOne(guildId, chatUserId, jobId);
    const word = wordOf(account);
    if (game !== null && isLinked) links.set(chatUserId, { ...game, ...(word && { word }) });
  };
  const queue = new PQueue({ concurrency });
  await queue.addAll((await accountsOf(guildId, people, settings)).map((account) => () => link(account)));
  return links;
}

/** Each person's account that may count in the guild: the proof that it would use before its own word. */
async function accountsOf(
  guildId: string,
  people: Iterable<StoredMember>,
  settings: GuildSettings,
): Promise<StoredAccount[]> {
  const isToBeLinked = (member: StoredMember) => member.state !== 'linked' && linksByItself(member, settings);
  const members = [...people].filter(isToBeLinked);
  if (members.length === 0) return [];
  const possible = members.flatMap(({ chatUserId }) => idsIn(chatUserId, guildId));
  const known = { _id: trusted({ $in: possible }), gameUserId: trusted({ $exists: true }) };
  const found = await Accounts.find(known).lean<StoredAccount[]>();
  const byPerson = new Map<string, StoredAccount[]>();
  for (const account of found) {
    const person = personOfAccount(account);
    byPerson.set(person, [...(byPerson.get(person) ?? []), account]);
  }
  const counting = members.map(async (member) => {
    const [first] = await candidatesOf({ guildId, member }, byPerson.get(member.chatUserId) ?? [], settings);
    return first?.account ?? [];
  });
  return (await Promise.all(counting)).flat();
}

const isOfAge = ({ gameCreatedAt }: StoredAccount, { verification }: GuildSettings): boolean =>
  isOldEnough(gameCreatedAt, verification.minimumAccountAgeDays);

/** A person that fails blocks no others: the next reconciliation tries again. */
async function linkOne(guildId: string, chatUserId: string, jobId: string): Promise<boolean> {
  try {
    return await linkKnownMember(guildId, chatUserId, systemActor('catch-up'), pendingFor(jobId));
  } catch (err) {
    logger.warn({ err, guildId, chatUserId }, 'known account not linked');
    return false;
  }
}

const pendingFor = (jobId: string): PendingSync => ({
  id: jobId,
  trigger: 'link',
  dueAt: new Date(clock.epochMs() + resyncWithinMs),
  attempts: 0,
});

/**
 * Before a person is synced or verifies, links them if their account is known and the guild's rules allow it. A missed
 * join is no obstacle. Returns the stored member; null for an unknown person without an account, or outside the guild.
 * Throws ChatPlatformUnavailable.
 */
export async function linkAtOnce(guildId: string, chatUserId: string): Promise<Member | null> {
  const member = await Members.findOne({ guildId, chatUserId });
  if (member?.state === 'linked') return member;
  if (!(await Accounts.exists({ ...countingIn(chatUserId, guildId), gameUserId: trusted({ $exists: true }) })))
    return member;
  if (member?.present !== true && !(await noteIfThere(guildId, chatUserId))) return member;
  await linkKnownMember(guildId, chatUserId, systemActor('catch-up'));
  return Members.findOne({ guildId, chatUserId });
}

/** Records a member after a missed join; false if they are not in the guild. Throws ChatPlatformUnavailable. */
export async function noteIfThere(guildId: string, chatUserId: string): Promise<boolean> {
  const there = await readMember(guildId, chatUserId);
  if (there !== null) await memberSeen(guildId, there);
  return there !== null;
}
