import type { mongo } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import { authorNow } from '../../core/actors/reach.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { Conflict } from '../../lib/errors.js';
import { newSecret } from '../../lib/ids.js';
import { minuteMs } from '../../lib/time.js';
import { factConditionsOf } from '../mappings/condition.js';
import { enabledMappings } from '../mappings/mapping-service.js';
import { type FactCondition, type FactValue, meetsFact } from '../mappings/reported-facts.js';
import { factsOf, mostFacts, type StoredFact } from './member-facts.js';
import { type Member, Members, memberIndexes } from './member-model.js';
import { announceSync, pendingSync } from './pending-syncs.js';

/** Facts about one player; null removes one. */
export interface FactReport {
  gameUserId: string;
  facts: Readonly<Record<string, FactValue | null>>;
}

/** `not_linked`: nobody here uses this account. `too_many_facts`: the person would have more than `mostFacts`. */
export type ReportStatus = 'stored' | 'not_linked' | 'too_many_facts';

type Reported = Pick<Member, 'chatUserId' | 'present'> & Partial<Pick<Member, 'gameUserId' | 'facts'>>;
type Changes = ReadonlyMap<string, FactValue | null>;

/** Simultaneous reports about the same people make each other try again. */
const mostTries = 6;

/**
 * Stores facts that the guild's game reports about players, in two commands for up to 100. A fact and the sync that it
 * makes necessary are one write. Statuses come in the order of the reports. Throws Conflict `busy` if other reports
 * about the same people keep coming in between, and ChatPlatformUnavailable.
 */
export async function reportFacts(
  { _id: guildId }: Guild,
  actor: Actor,
  reports: readonly FactReport[],
): Promise<{ gameUserId: string; status: ReportStatus }[]> {
  const [mappings, { ceilingRoleId }] = await Promise.all([enabledMappings(guildId), authorNow(guildId, actor)]);
  const asked = factConditionsOf(mappings.map(({ condition }) => condition));
  const changes = changesByAccount(reports);
  const statuses = new Map<string, ReportStatus>();
  let open = [...changes.keys()];
  for (let tries = 0; open.length > 0; tries += 1) {
    if (tries === mostTries)
      throw new Conflict('busy', 'Other facts about these people are being reported. Try again.');
    open = await storeOnce(guildId, open, { changes, ceilingRoleId, asked, statuses });
  }
  return reports.map(({ gameUserId }) => ({ gameUserId, status: statuses.get(gameUserId) ?? 'not_linked' }));
}

/** Of several reports about one account the later ones win, key by key. */
function changesByAccount(reports: readonly FactReport[]): Map<string, Changes> {
  const changes = new Map<string, Map<string, FactValue | null>>();
  for (const { gameUserId, facts } of reports) {
    const known = changes.get(gameUserId) ?? new Map<string, FactValue | null>();
    for (const [key, value] of Object.entries(facts)) known.set(key, value);
    changes.set(gameUserId, known);
  }
  return changes;
}

interface Storing {
  changes: ReadonlyMap<string, Changes>;
  ceilingRoleId: string | null;
  asked: readonly FactCondition[];
  statuses: Map<string, ReportStatus>;
}

/** Stores what it can, and returns the accounts of members that changed in between, as by another report. */
async function storeOnce(
  guildId: string,
  gameUserIds: readonly string[],
  { changes, statuses, ...report }: Storing,
): Promise<string[]> {
  const rev = newSecret();
  const found = await readReported(guildId, gameUserIds);
  // A former try's answer is over: the person may have been unlinked since.
  for (const gameUserId of gameUserIds) statuses.delete(gameUserId);
  const writes = found.flatMap((member) => {
    const { gameUserId = '' } = member;
    const after = merged(factsOf(member), changes.get(gameUserId) ?? new Map(), report.ceilingRoleId);
    statuses.set(gameUserId, after.length > mostFacts ? 'too_many_facts' : 'stored');
    return after.length > mostFacts || isSame(factsOf(member), after)
      ? []
      : writeOf(guildId, member, { after, rev, ...report });
  });
  if (writes.length === 0) return [];
  const { collection } = Members.acrossGuilds;
  const { matchedCount } = await collection.bulkWrite(
    writes.map(({ write }) => write),
    { ordered: false },
  );
  for (const { chatUserId, isDue } of writes) if (isDue) announceSync({ guildId, chatUserId }, 'fact');
  if (matchedCount === writes.length) return [];
  const now = new Map((await readReported(guildId, gameUserIds)).map((member) => [member.chatUserId, member]));
  return writes.flatMap(({ chatUserId, gameUserId }) => (now.get(chatUserId)?.facts?.rev === rev ? [] : gameUserId));
}

const projection = { _id: 0, chatUserId: 1, gameUserId: 1, present: 1, facts: 1 } as const;

function readReported(guildId: string, gameUserIds: readonly string[]): Promise<Reported[]> {
  return Members.acrossGuilds.collection
    .find<Reported & mongo.BSON.Document>(
      { guildId, gameUserId: { $in: [...gameUserIds] }, state: 'linked' },
      { projection, hint: memberIndexes.gameUserId },
    )
    .toArray();
}

/** The facts after a report. Pure but for the time. */
function merged(before: readonly StoredFact[], changes: Changes, ceilingRoleId: string | null): StoredFact[] {
  const at = clock.now();
  const kept = before.filter(({ key }) => !changes.has(key));
  return [
    ...kept,
    ...[...changes].flatMap(([key, value]) => (value === null ? [] : { key, value, at, ceilingRoleId })),
  ];
}

/** Whether a report says what the same author has said within the last minute, which costs no write. */
function isSame(before: readonly StoredFact[], after: readonly StoredFact[]): boolean {
  const known = new Map(before.map((fact) => [fact.key, fact]));
  const isKnown = (fact: StoredFact): boolean => {
    const was = known.get(fact.key);
    return was !== undefined && isSameWord(was, fact) && Math.abs(fact.at.getTime() - was.at.getTime()) < minuteMs;
  };
  return before.length === after.length && after.every(isKnown);
}

const isSameWord = (one: StoredFact, other: StoredFact): boolean =>
  one.value === other.value && one.ceilingRoleId === other.ceilingRoleId;

function writeOf(
  guildId: string,
  member: Reported,
  { after, rev, asked }: { after: readonly StoredFact[]; rev: string; asked: readonly FactCondition[] },
) {
  const { chatUserId, gameUserId = '', present, facts } = member;
  const isDue = present && asked.some((wanted) => mayDiffer(wanted, factsOf(member), after));
  const $set = {
    ...(after.length > 0 && { facts: { gameUserId, rev, values: after } }),
    ...(isDue && pendingSync('fact')),
  };
  const asRead = { gameUserId, present, 'facts.rev': facts?.rev ?? { $exists: false } };
  const filter = { guildId, chatUserId, state: 'linked', ...asRead };
  const update = {
    ...(Object.keys($set).length > 0 && { $set }),
    ...(after.length === 0 && { $unset: { facts: 1 } }),
  };
  return { chatUserId, gameUserId, isDue, write: { updateOne: { filter, update, hint: memberIndexes.chatUserId } } };
}

/** Whether a mapping's condition may have another answer, or its roles another author. Pure. */
function mayDiffer(wanted: FactCondition, before: readonly StoredFact[], after: readonly StoredFact[]): boolean {
  const [was, is] = [before, after].map((facts) => facts.find(({ key }) => key === wanted.key));
  if (meetsFact(wanted, was?.value) !== meetsFact(wanted, is?.value)) return true;
  return was !== undefined && is !== undefined && was.ceilingRoleId !== is.ceilingRoleId;
}
