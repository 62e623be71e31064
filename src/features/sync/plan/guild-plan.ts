import type { Guild } from '../../../core/guilds/guild-service.js';
import { clock } from '../../../lib/clock.js';
import { type GuildFacts, readGuildFacts } from '../../../platforms/discord/guild-facts.js';
import { type GuildMember, readMemberPage } from '../../../platforms/discord/guild-members.js';
import { noRanks } from '../../../platforms/roblox/held-roles.js';
import { gameOf } from '../../accounts/account-settling.js';
import { keptTraitsOf } from '../../accounts/account-traits.js';
import { linkMissing } from '../../accounts/missing-links.js';
import type { GameTraits } from '../../mappings/game-traits.js';
import type { GameIdentity, Member } from '../../members/member-model.js';
import type { InStepMember } from '../../members/noted-syncs.js';
import type { ObservedMember } from '../../members/observed-members.js';
import { keepPresence, type StoredMember, storedAmong, storedInRange } from '../../members/page-presence.js';
import { differenceOf } from './difference.js';
import { groupsBehind } from './group-absence.js';
import { GuildRanks, linkedGameAccounts } from './guild-ranks.js';
import type { GuildRules } from './guild-rules.js';
import type { MappingTally } from './mapping-tally.js';
import { MemberPlanner } from './member-planner.js';
import { hasWork, type SyncPlan } from './plan.js';
import { isNoted, SyncFacts } from './went-by.js';

/** A member who is not in step, and what would be done. */
export interface PlannedMember {
  /** As Discord said they were. */
  member: GuildMember;
  plan: SyncPlan;
  /** How they stood with us: a plan for another state or account holds no more. Null: somebody we don't know. */
  state: Member['state'] | null;
  gameUserId: string | null;
  /** As last seen. */
  gameUsername: string | null;
  /** The groups for not being in which they would lose roles or a nickname. */
  absentFrom: string[];
  /** Of the last sync before the facts of the plan were read; null: none was made. Left out of previews of older versions. */
  fence?: number | null;
}

/** The members of one page of Discord's, planned. */
export interface PlannedPage {
  /** How many people were looked at. */
  members: number;
  /** How many of them were left as they are, since Roblox did not say anything about their account. */
  unknown: number;
  /** Those of whom this is so. */
  putOff: string[];
  /** Those who are not in step: something would change, or is blocked. */
  differing: PlannedMember[];
  /** Whom the resync that plans has just linked, and who is in step already. */
  inStep: string[];
  /** Who is in step, and of whom is kept that something is in their way. */
  freed: string[];
  /** Those with nothing to be done, where that is not noted yet. Empty without a resync. */
  notNoted: InStepMember[];
  /** In a guild that only observes: those of whom something would be changed. Empty without a resync. */
  observed: ObservedMember[];
  /** The id behind which the next page begins; null when this is the last. */
  next: string | null;
  /** When the reading of game ranks began: who was synced later is ahead of this plan. */
  asOf: Date;
}

/** A plan that was made and shown before (RESYNC-22): members who have changed since are skipped. */
export interface ReadyPlan {
  /** The preview that showed it. */
  previewId: string;
  /** How many members were looked at, and how many of them had to be left as they are. */
  members: number;
  unknown: number;
  /** When the reading of the facts began that it was made from. */
  asOf: Date;
  /** The members who differ, each once. */
  differing: Iterable<PlannedMember> | AsyncIterable<PlannedMember>;
}

export interface GuildPlanOptions {
  rules: GuildRules;
  /** These members only; everybody when left out. */
  memberIds?: readonly string[] | undefined;
  /** Begins behind this Discord id. */
  after?: string | undefined;
  /**
   * Reads the ranks of everybody before the first page, in the fewest calls; without it page by page, for whoever takes
   * a page or two.
   */
  ranksAhead?: boolean;
  /** Into which the ranks are read. */
  ranks?: GuildRanks;
  /**
   * The resync that plans: it brings who is there, and whose account links them, in step with Discord page by page, before
   * it plans the page. A preview writes nothing, and plans those as linked whom a resync would link.
   */
  jobId?: string;
  /** Counts everybody who is planned. */
  tally?: MappingTally | undefined;
}

/** Before the first Discord id. */
export const beginning = '0';

/**
 * Plans all members of a guild, or some, a page of up to 1000 at a time in Discord's order (RESYNC-21); bots are left
 * out. Keeps only the ranks in memory. People without a linked account are planned like the rest.
 * Names on Roblox are those last seen, as the current ones would take a call for every 100 people.
 * Throws GamePlatformUnavailable, ChatPlatformUnavailable, GoneFromDiscord when the bot is not in the guild, and the
 * signal's reason.
 */
export async function* planGuild(
  { _id: guildId }: Pick<Guild, '_id'>,
  { rules, memberIds, after = beginning, ranksAhead = false, jobId, tally, ...options }: GuildPlanOptions,
  signal: AbortSignal,
): AsyncGenerator<PlannedPage> {
  const planner = new MemberPlanner(rules, tally);
  const { ranks = new GuildRanks(rules.groupIds, signal) } = options;
  let facts = new SyncFacts(rules, clock.now());
  // Read before the ranks: a sync that comes between goes by newer ones.
  const fences = new Map<string, number | null>();
  if (ranksAhead) await ranks.read(await linkedGameAccounts(guildId, { memberIds, fences }));
  for await (const page of readPages(guildId, after, memberIds)) {
    signal.throwIfAborted();
    if (!ranksAhead) facts = new SyncFacts(rules, clock.now());
    const { members, next } = page;
    const [{ stored, links }, discord] = await Promise.all([
      readPeople(guildId, page, { rules, jobId }),
      readGuildFacts(guildId),
    ]);
    const people = members.map((member) => ({ member, stored: stored.get(member.chatUserId) ?? null }));
    await ranks.read(people.flatMap(({ stored }) => (stored?.goneSince ? [] : (stored?.gameUserId ?? []))));
    const traits = await keptTraitsOf(guildId, linkedAmong(people), rules.traitsWanted, { owes: jobId !== undefined });
    const planned = planPage(people, { planner, ranks, traits, discord, facts, fences });
    const inStep = planned.inStep.filter((chatUserId) => links.has(chatUserId));
    const isNotedDown = jobId !== undefined;
    const [notNoted, observed] = isNotedDown ? [planned.notNoted, planned.observed] : [[], []];
    yield { ...planned, inStep, notNoted, observed, members: members.length, next, asOf: facts.readAt };
  }
}

/** A page of Discord's members, whole or those of it who are wanted. */
interface MemberPage {
  after: string;
  next: string | null;
  members: GuildMember[];
  isWhole: boolean;
  /** Just before Discord was asked for it. */
  askedAt: Date;
}

/** Pages of members; of `memberIds` only those, in the fewest calls: pages on which nobody is wanted are skipped. */
async function* readPages(
  guildId: string,
  begin: string,
  memberIds: readonly string[] | undefined,
): AsyncGenerator<MemberPage> {
  const wanted = memberIds && new Set(memberIds);
  const inOrder = memberIds && [...memberIds].sort(compareSnowflakes);
  for (let place: string | null = begin; place !== null; ) {
    const from: string = place;
    const nextWanted = inOrder?.find((id) => compareSnowflakes(id, from) > 0);
    if (inOrder !== undefined && nextWanted === undefined) return;
    const askedAt = clock.now();
    const after = nextWanted === undefined ? from : String(BigInt(nextWanted) - 1n);
    const page = await readMemberPage(guildId, after);
    place = page.next;
    const members = page.members.filter(({ chatUserId }) => wanted?.has(chatUserId) ?? true);
    yield { ...page, members, after, isWhole: wanted === undefined, askedAt };
  }
}

/** What is stored of the people of a page, once their presence and links are in step (RESYNC-28). */
async function readPeople(
  guildId: string,
  { after, next, members, isWhole, askedAt }: MemberPage,
  { rules, jobId }: { rules: GuildRules; jobId: string | undefined },
): Promise<{ stored: Map<string, StoredMember>; links: ReadonlyMap<string, GameIdentity> }> {
  const stored = isWhole
    ? await storedInRange({ guildId, after, next })
    : await storedAmong(
        guildId,
        members.map(({ chatUserId }) => chatUserId),
      );
  const page = { guildId, after, next, people: members, askedAt };
  await keepPresence(page, stored, jobId !== undefined);
  const there = members.flatMap(({ chatUserId }) => stored.get(chatUserId) ?? []);
  const links = await linkMissing(guildId, there, rules.settings, jobId);
  for (const [chatUserId, game] of links) Object.assign(stored.get(chatUserId) ?? {}, game, { state: 'linked' });
  return { stored, links };
}

function linkedAmong(people: readonly { stored: StoredMember | null }[]): StoredMember[] {
  return people.flatMap(({ stored }) => (stored?.state === 'linked' ? stored : []));
}

/** What a page of people is planned from. */
interface PageFacts {
  planner: MemberPlanner;
  ranks: GuildRanks;
  traits: ReadonlyMap<string, GameTraits>;
  discord: GuildFacts;
  facts: SyncFacts;
  fences: ReadonlyMap<string, number | null>;
}

type Person = { member: GuildMember; stored: StoredMember | null };

function planPage(
  people: readonly Person[],
  page: PageFacts,
): Pick<PlannedPage, 'unknown' | 'putOff' | 'differing' | 'inStep' | 'freed' | 'notNoted' | 'observed'> {
  const differing: PlannedMember[] = [];
  const [putOff, inStep, freed]: [string[], string[], string[]] = [[], [], []];
  const [notNoted, observed]: [InStepMember[], ObservedMember[]] = [[], []];
  for (const person of people) {
    const { chatUserId } = person.member;
    const found = planPerson(person, page);
    if (found === null) {
      putOff.push(chatUserId);
      continue;
    }
    const { wentBy, fence, planned } = found;
    if (planned === null && person.stored?.blockedBy !== undefined) freed.push(chatUserId);
    if (planned === null) inStep.push(chatUserId);
    else differing.push({ ...planned, fence });
    const left = page.facts.left(person.member);
    if (planned !== null && hasWork(planned.plan)) {
      const difference = differenceOf(planned.plan, page.planner.rules, found.now);
      if (page.planner.rules.settings.mode === 'observe')
        observed.push({ chatUserId, fence, wentBy, left, difference });
      continue;
    }
    if (!isNoted(person.stored ?? {}, { wentBy, left })) notNoted.push({ chatUserId, fence, wentBy, left });
  }
  return { unknown: putOff.length, putOff, differing, inStep, freed, notNoted, observed };
}

/** What a plan goes by, with the plan of somebody who is not in step; null: Roblox did not say anything. */
function planPerson({ member, stored }: Person, { planner, ranks, traits, discord, facts, fences }: PageFacts) {
  const { chatUserId } = member;
  const game = stored === null || stored.state !== 'linked' ? null : gameOf(stored);
  const gone = stored?.goneSince !== undefined;
  const held = game === null || gone ? noRanks : ranks.of(game.gameUserId);
  if (held === undefined) return null;
  const { gameUserId = null, gameUsername = null } = game ?? {};
  const wentBy = facts.wentBy({ gameUserId, ranks: held, gone });
  const ahead = fences.get(chatUserId);
  const fence = ahead === undefined ? (stored?.syncFence ?? null) : ahead;
  const now = { stored, game, ranks: held, traits: traits.get(chatUserId) };
  const plan = planner.plan({ ...now, member }, discord);
  if (plan === null) return { now, wentBy, fence, planned: null };
  const absentFrom =
    game === null || gone ? [] : groupsBehind(plan, planner.rules).filter((groupId) => !held.has(groupId));
  const planned = { member, plan, state: stored?.state ?? null, gameUserId, gameUsername, absentFrom };
  return { now, wentBy, fence, planned };
}

/** Discord's order of ids: they are numbers, of 17 to 20 digits. */
function compareSnowflakes(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}
