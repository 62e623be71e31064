import type { Guild } from '../../../core/guilds/guild-service.js';
import { clock } from '../../../lib/clock.js';
import { ThreadSlice } from '../../../lib/thread-slice.js';
import { type GuildFacts, readGuildFacts } from '../../../platforms/discord/guild-facts.js';
import { type GuildMember, readMemberPage } from '../../../platforms/discord/guild-members.js';
import { noRanks } from '../../../platforms/roblox/held-roles.js';
import { gameOf } from '../../accounts/account-in-use.js';
import { keptTraitsOf } from '../../accounts/account-traits.js';
import { type KnownLink, linkMissing } from '../../accounts/missing-links.js';
import type { GameTraits } from '../../mappings/game-traits.js';
import { showsOtherRoles } from '../../members/look-up-changes.js';
import type { Member } from '../../members/member-model.js';
import type { NotedMember } from '../../members/noted-syncs.js';
import { keepPresence, type StoredMember, storedAmong, storedInRange } from '../../members/page-presence.js';
import { type Difference, type Planned, reasonsOf } from './difference.js';
import { groupsBehind } from './group-absence.js';
import { GuildRanks, linkedGameAccounts, recordedFence } from './guild-ranks.js';
import type { GuildRules } from './guild-rules.js';
import { isOpen } from './judge-member.js';
import type { MappingTally } from './mapping-tally.js';
import { MemberPlanner } from './member-planner.js';
import { hasWork } from './plan.js';
import { isNoted, SyncFacts } from './went-by.js';

/** A member out of step, with the changes due. */
export interface PlannedMember extends Planned {
  member: GuildMember;
  /** Their state with us; a plan made for another state or account is void. Null: a person unknown to us. */
  state: Member['state'] | null;
  /** The username as last seen. */
  gameUsername: string | null;
}

export interface PlannedPage {
  members: number;
  /** How many members stay unchanged because Roblox did not answer about their account. */
  unknown: number;
  putOff: string[];
  /** Members out of step: something would change, or is blocked. */
  differing: PlannedMember[];
  /** Members in step that the planning resync has just linked. */
  inStep: string[];
  /** Members in step that still have a stored obstacle. */
  freed: string[];
  /** Members without a change to make, and without a stored basis for it. Empty without a resync. */
  notNoted: NotedMember[];
  /** In a guild in observe mode: member differences, which are not noted either. Empty without a resync. */
  observed: Difference[];
  /** The id after which the next page begins; null after the last page. */
  next: string | null;
  /** When reading the game ranks started. Members synced later are ahead of this plan. */
  asOf: Date;
}

export interface GuildPlanOptions {
  rules: GuildRules;
  /** Only these members; all if absent. */
  memberIds?: readonly string[] | undefined;
  /** The Discord id after which planning begins. */
  after?: string | undefined;
  /**
   * Reads all ranks before the first page, in the fewest calls. Otherwise they are read page by page, for callers that
   * need a page or two.
   */
  ranksAhead?: boolean;
  /** The store for ranks that are read. */
  ranks?: GuildRanks;
  /**
   * The planning resync. Before it plans a page, it brings the page's people in step with Discord: presence and links.
   * A preview writes nothing, and plans people as linked if a resync would link them.
   */
  jobId?: string;
  /** Counts all planned members. */
  tally?: MappingTally | undefined;
  /** Links that are not made yet, by person: each is planned as if they had it. A result that stays open is unknown. */
  assumed?: ReadonlyMap<string, KnownLink>;
}

const noLinks: NonNullable<GuildPlanOptions['assumed']> = new Map();

/** A cursor before the first Discord id. */
export const beginning = '0';

/**
 * Plans all members of a guild, or some, in pages of up to 1,000 in Discord's order (RESYNC-21), without bots. Keeps
 * only the ranks in memory. People without a linked account are planned like the rest. Names on Roblox are the last
 * seen ones, since current ones would take a call per 100 people. Throws GamePlatformUnavailable,
 * ChatPlatformUnavailable, GoneFromDiscord if the bot is not in the guild, and the signal's reason.
 */
export async function* planGuild(
  { _id: guildId }: Pick<Guild, '_id'>,
  {
    rules,
    memberIds,
    after = beginning,
    ranksAhead = false,
    jobId,
    tally,
    assumed = noLinks,
    ...options
  }: GuildPlanOptions,
  signal: AbortSignal,
): AsyncGenerator<PlannedPage> {
  const planner = new MemberPlanner(rules, tally);
  const { ranks = new GuildRanks(rules.groupIds, signal) } = options;
  let facts = new SyncFacts(rules, clock.now());
  // Read before the ranks: a sync in between uses newer ones.
  const fences = new Map<string, number | null>();
  if (ranksAhead) {
    const linked = await linkedGameAccounts(guildId, { memberIds, fences });
    await ranks.read([...linked, ...[...assumed.values()].map(({ gameUserId }) => gameUserId)]);
  }
  for await (const page of readPages(guildId, after, memberIds)) {
    signal.throwIfAborted();
    if (!ranksAhead) facts = new SyncFacts(rules, clock.now());
    const { members, next } = page;
    const [{ stored, links }, discord] = await Promise.all([
      readPeople(guildId, page, { rules, jobId, assumed }),
      readGuildFacts(guildId),
    ]);
    const people = members.map((member) => ({ member, stored: stored.get(member.chatUserId) ?? null }));
    await ranks.read(people.flatMap(({ stored }) => (stored?.goneSince ? [] : (stored?.gameUserId ?? []))));
    const known = linkedAmong(people).filter(({ chatUserId }) => !assumed.has(chatUserId));
    const traits = await keptTraitsOf(guildId, known, rules.traitsWanted, {
      enqueues: jobId !== undefined,
    });
    const planned = await planPage(people, { planner, ranks, traits, discord, facts, fences, assumed });
    const inStep = planned.inStep.filter((chatUserId) => links.has(chatUserId));
    const isNotedDown = jobId !== undefined;
    const [notNoted, observed] = isNotedDown ? [planned.notNoted, planned.observed] : [[], []];
    yield { ...planned, inStep, notNoted, observed, members: members.length, next, asOf: facts.readAt };
  }
}

interface MemberPage {
  after: string;
  next: string | null;
  members: GuildMember[];
  isWhole: boolean;
  /** The time just before Discord was asked for it. */
  askedAt: Date;
}

/** Reads member pages. With `memberIds` only those, in the fewest calls: pages without any are skipped. */
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

/** A page's stored people, after presence and links were brought in step (RESYNC-28). */
async function readPeople(
  guildId: string,
  { after, next, members, isWhole, askedAt }: MemberPage,
  { rules, jobId, assumed }: Pick<PageFacts, 'assumed'> & { rules: GuildRules; jobId: string | undefined },
): Promise<{ stored: Map<string, StoredMember>; links: ReadonlyMap<string, KnownLink> }> {
  const stored = isWhole
    ? await storedInRange({ guildId, after, next })
    : await storedAmong(
        guildId,
        members.map(({ chatUserId }) => chatUserId),
      );
  const page = { guildId, after, next, people: members, askedAt };
  await keepPresence(page, stored, jobId !== undefined);
  for (const [chatUserId, link] of assumed)
    Object.assign(stored.get(chatUserId) ?? {}, { ...link, state: 'linked', goneSince: undefined });
  const there = members.flatMap(({ chatUserId }) => stored.get(chatUserId) ?? []);
  const links = await linkMissing(guildId, there, rules.settings, jobId);
  for (const [chatUserId, game] of links) Object.assign(stored.get(chatUserId) ?? {}, game, { state: 'linked' });
  return { stored, links };
}

function linkedAmong(people: readonly { stored: StoredMember | null }[]): StoredMember[] {
  return people.flatMap(({ stored }) => (stored?.state === 'linked' ? stored : []));
}

interface PageFacts {
  planner: MemberPlanner;
  ranks: GuildRanks;
  traits: ReadonlyMap<string, GameTraits>;
  discord: GuildFacts;
  facts: SyncFacts;
  fences: ReadonlyMap<string, number | null>;
  assumed: ReadonlyMap<string, KnownLink>;
}

type Person = { member: GuildMember; stored: StoredMember | null };

/** Everything is read before: between a page's slices other work gets the thread, and nothing on the page changes. */
async function planPage(
  people: readonly Person[],
  page: PageFacts,
): Promise<Pick<PlannedPage, 'unknown' | 'putOff' | 'differing' | 'inStep' | 'freed' | 'notNoted' | 'observed'>> {
  const differing: PlannedMember[] = [];
  const [putOff, inStep, freed]: [string[], string[], string[]] = [[], [], []];
  const [notNoted, observed]: [NotedMember[], Difference[]] = [[], []];
  const slice = new ThreadSlice();
  for (const person of people) {
    await slice.yieldIfOver();
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
    const { rules } = page.planner;
    const differs = planned !== null && hasWork(planned.plan);
    if (differs && rules.settings.mode !== 'observe') continue;
    if (differs) observed.push({ planned: { ...planned, fence }, reasons: reasonsOf(planned.plan, rules, found.now) });
    if (!differs && isNoted(person.stored ?? {}, { wentBy, left })) continue;
    const shownAnew = showsOtherRoles(person.stored, left) ? person.stored?.gameUserId : undefined;
    notNoted.push({ chatUserId, fence, wentBy, left, differs, shownAnew });
  }
  return { unknown: putOff.length, putOff, differing, inStep, freed, notNoted, observed };
}

/** The basis for a member's plan, with the plan if they are out of step; null if Roblox did not answer about them. */
function planPerson({ member, stored }: Person, { planner, ranks, traits, discord, facts, ...page }: PageFacts) {
  const { chatUserId } = member;
  const game = stored === null || stored.state !== 'linked' ? null : gameOf(stored);
  const gone = stored?.goneSince !== undefined;
  const held = game === null || gone ? noRanks : ranks.of(game.gameUserId);
  if (held === undefined) return null;
  const { gameUserId = null, gameUsername = null } = game ?? {};
  const wentBy = facts.wentBy({ gameUserId, ranks: held, gone });
  const ahead = page.fences.get(chatUserId);
  const fence = ahead === undefined ? recordedFence(stored ?? {}) : ahead;
  const now = { stored, game, ranks: held, traits: traits.get(chatUserId) };
  if (page.assumed.has(chatUserId) && isOpen(planner.rules, now)) return null;
  const plan = planner.plan({ ...now, member }, discord);
  if (plan === null) return { now, wentBy, fence, planned: null };
  const absentFrom =
    game === null || gone ? [] : groupsBehind(plan, planner.rules).filter((groupId) => !held.has(groupId));
  const formerIsOurs = member.nickname !== null && stored?.givenNickname === member.nickname;
  const planned = { member, plan, state: stored?.state ?? null, gameUserId, gameUsername, absentFrom, formerIsOurs };
  return { now, wentBy, fence, planned };
}

/** Compares ids in Discord's order: they are numbers with 17 to 20 digits. */
function compareSnowflakes(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}
