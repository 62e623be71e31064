import { z } from 'zod';
import { requireStillAllowed } from '../../core/access/guild-access.js';
import type { Actor } from '../../core/actors/actor.js';
import { authorOf, type RuleAuthor } from '../../core/actors/reach.js';
import { type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import { attachPlanned } from '../../core/groups/group-service.js';
import { findGroups } from '../../core/groups/linked-groups.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { guildShare } from '../../core/guilds/guild-share.js';
import { plans } from '../../core/plans/plans.js';
import { type BesideOtherBots, besideOtherBots } from '../../core/settings/beside-other-bots.js';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { completeChangesOf, inWholeChange } from '../../core/settings/whole-changes.js';
import { AppError, InvalidRequest, PlanLimitReached, VersionMismatch } from '../../lib/errors.js';
import { boundedText } from '../../lib/given-text.js';
import { refusalWords } from '../../lib/translate-refusal.js';
import { type GuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { groupIdsOf, leavesOf } from '../mappings/condition.js';
import { rolesAboveBot, type Snapshot } from '../mappings/mapping-rules.js';
import {
  createMappings,
  listAllMappings,
  type Manner,
  type Mapping,
  requireWritable,
  ruleKey,
} from '../mappings/mapping-service.js';
import { doublesAmong, notesLeft, takenByRules } from './import-overlaps.js';
import { type LineRemark, lineRemark, ParsedImport } from './import-proposal.js';
import { type ImportedDraft, resolveProposals, rolesNamedIn } from './import-resolving.js';
import { parseImportText } from './import-text.js';
import { type ImportWish, importBody, type MappingImport } from './import-view.js';
import { namedRolesOf, readNewGroups, requireRoomForGroups, withNamedRoles } from './named-groups.js';

/** How an import is logged and limited to a confirmed review. */
interface ImportManner {
  format?: string;
  /** Whether its present effect may be carried out. */
  onlyIf?: (plan: Pick<MappingImport, 'refused' | 'addedGroups'>) => boolean;
}

/**
 * Imports mappings, or returns the effect as a dry run (CONF-21). Lines that can't be imported are named and do not
 * stop the others. All others are created or, if the plan has no room, none. Existing mappings are skipped, so that
 * repeating an import does nothing. Throws VersionMismatch unless `onlyIf`, InvalidRequest for a text in another
 * format, PlanLimitReached, ChatPlatformUnavailable, GamePlatformUnavailable, Conflict `busy`.
 */
export async function importMappings(
  guild: Guild,
  actor: Actor,
  wish: ImportWish,
  { format = 'mappings' in wish ? 'json' : wish.format, onlyIf = () => true }: ImportManner = {},
): Promise<MappingImport> {
  const parsed = parsedOf(wish);
  if (wish.dryRun) {
    const { fresh, newGroups, ...plan } = await guildShare.run(guild._id, () =>
      planImport(guild, actor, parsed, wish.addGroups),
    );
    const created = fresh.map(({ line, draft }) => ({ line, mappingId: null, mapping: draft }));
    return { ...plan, dryRun: true, created, ...shownGroups(newGroups, fresh) };
  }
  return inWholeChange(guild, async (make) => {
    const plan = await planImport(guild, actor, parsed, wish.addGroups);
    const addedGroups = plan.newGroups.map(({ groupId }) => groupId);
    if (!onlyIf({ refused: plan.refused, addedGroups })) throw new VersionMismatch();
    if (!plan.limits.fits) throw noRoom(guild, plan.limits);
    const change = { kind: 'import', by: actor, wish: JSON.stringify({ wish, format }) } as const;
    return make(change, () => writeImport(guild, actor, format, plan));
  });
}

/** A started import, as it is stored. */
const begunImport = z.strictObject({ wish: importBody, format: z.string() });

completeChangesOf('import', {
  async finish(guild, actor, stored) {
    await requireStillAllowed(guild, actor);
    const { wish, format } = begunImport.parse(stored);
    await writeImport(guild, actor, format, await planImport(guild, actor, parsedOf(wish), wish.addGroups));
  },
});

async function writeImport(
  guild: Guild,
  actor: Actor,
  format: string,
  { fresh, newGroups, ...plan }: ImportPlan,
): Promise<MappingImport> {
  for (const group of newGroups) await attachPlanned(guild, actor, group);
  const mappings = await createMappings(
    guild,
    actor,
    fresh.map(({ draft }) => draft),
    (count) => entryOfImport(guild, actor, format, count),
    { mode: modeOf(plan) },
  );
  const ids = new Map(mappings.map((mapping) => [ruleKey(mapping), mapping._id]));
  const done = fresh.map(({ line, draft: mapping }) => ({
    line,
    mapping,
    mappingId: ids.get(ruleKey(mapping)) ?? null,
  }));
  const created = done.filter(({ mappingId }) => mappingId !== null);
  // Another request has made the same mapping a moment ago.
  const overtaken = done.filter(({ mappingId }) => mappingId === null).map(({ line }) => ({ line, mappingId: null }));
  const skipped = [...plan.skipped, ...overtaken];
  return { ...plan, dryRun: false, created, skipped, ...shownGroups(newGroups, fresh) };
}

/** The groups that an import attaches, with the names of their roles in its mappings. */
function shownGroups(
  newGroups: readonly LinkedGroup[],
  fresh: readonly ImportedDraft[],
): Pick<MappingImport, 'addedGroups' | 'newGroups'> {
  const leaves = fresh.flatMap(({ draft }) => leavesOf(draft.condition).map(({ leaf }) => leaf));
  const named = new Set(leaves.flatMap((leaf) => (leaf.type === 'group_role' ? leaf.gameRoleId : [])));
  return {
    addedGroups: newGroups.map(({ groupId }) => groupId),
    newGroups: newGroups.map(({ groupId, name, roles }) => {
      return { groupId, name, roles: roles.filter(({ gameRoleId }) => named.has(gameRoleId)) };
    }),
  };
}

/** Maximum size for a text with mappings, in bytes. An API body has no more (CONF-27). */
export const mostBytes = 64 * 1024;

function parsedOf(wish: ImportWish): ParsedImport {
  if ('mappings' in wish) return listed(wish.mappings);
  return parseImportText(wish.format, boundedText(wish.text, 'text', mostBytes));
}

function listed(drafts: Extract<ImportWish, { mappings: unknown }>['mappings']): ParsedImport {
  const parsed = new ParsedImport();
  parsed.take(...drafts.map(({ roleIds, ...draft }, index) => ({ ...draft, roles: roleIds, line: index + 1 })));
  return parsed;
}

function noRoom({ plan }: Guild, { mappings: { used, adding, limit } }: MappingImport['limits']): PlanLimitReached {
  const words = `The plan ${plan} allows ${limit} mappings: ${used} are there and ${adding} would be added. Nothing was imported.`;
  return new PlanLimitReached(words, { resource: 'mappings', limit, plan });
}

function entryOfImport(guild: Guild, actor: Actor, format: string, count: number): NewEntry {
  return newEntry({
    guildId: guild._id,
    actor,
    action: 'mappings.imported',
    target: { kind: 'guild', id: guild._id, name: guild.name },
    changes: {
      mappings: { from: null, to: count },
      format: { from: null, to: format },
    },
  });
}

/** An import before it is carried out. `fresh`: the mappings to create. */
interface ImportPlan extends Omit<MappingImport, 'dryRun' | 'created' | 'addedGroups' | 'newGroups'> {
  fresh: ImportedDraft[];
  newGroups: LinkedGroup[];
}

/**
 * Plans an import by the present state: resolves names and holds every mapping to a new one's rules. Throws
 * PlanLimitReached for groups, ChatPlatformUnavailable, RateLimited, GamePlatformUnavailable.
 */
async function planImport(guild: Guild, actor: Actor, parsed: ParsedImport, addGroups: boolean): Promise<ImportPlan> {
  const guildId = guild._id;
  const [facts, stored, there, beside] = await Promise.all([
    readGuildFacts(guildId),
    findGroups(guildId),
    listAllMappings(guildId),
    besideOtherBots(guildId),
  ]);
  const named = namedRolesOf(parsed.proposals);
  const attached = await Promise.all(stored.map((group) => withNamedRoles(group, named.get(group.groupId) ?? [])));
  const none = { newGroups: [], unread: new Set<string>() };
  const { newGroups, unread } = addGroups ? await readNewGroups(guildId, parsed.proposals, attached) : none;
  const groups = [...attached, ...newGroups];
  const { drafts, refused } = resolveProposals(parsed.proposals, { facts, groups, addGroups, unread });
  const mapper = await authorOf(actor, facts);
  const within = { there, mapper, facts, groups, mode: modeOf(beside) };
  const { fresh, skipped, refused: notAllowed } = await sortOut(drafts, within);
  const names = { facts, groups };
  const rules = [...there, ...drafts.map(({ draft }) => draft)];
  const limit = plans[guild.plan].mappings;
  const inUse = new Set(fresh.flatMap(({ draft }) => groupIdsOf(draft.condition)));
  const needed = newGroups.filter(({ groupId }) => inUse.has(groupId));
  requireRoomForGroups(guild, attached.length, needed.length);
  return {
    ...beside,
    fresh,
    skipped,
    newGroups: needed,
    rolesAbove: rolesAboveBot(
      facts,
      fresh.flatMap(({ draft }) => draft.roleIds),
    ),
    refused: inOrder([...parsed.refused, ...refused, ...notAllowed]),
    notes: inOrder([...notesOf(parsed, drafts, there, names), ...doublesAmong(fresh, rules, names)]),
    limits: {
      mappings: { used: there.length, adding: fresh.length, limit },
      fits: fresh.length === 0 || there.length + fresh.length <= limit,
    },
  };
}

/** The notes of a text, without those on roles to remove that its mappings take themselves (CONF-63). */
function notesOf(
  { notes, removals }: ParsedImport,
  drafts: readonly ImportedDraft[],
  there: readonly Mapping[],
  names: { facts: GuildFacts; groups: readonly LinkedGroup[] },
): LineRemark[] {
  const conditions = new Map(drafts.toReversed().map(({ line, draft }) => [line, draft.condition]));
  const isTaken = takenByRules([...there, ...drafts.map(({ draft }) => draft)], names);
  const idsOf = rolesNamedIn(names.facts);
  return notesLeft(notes, removals, ({ of, roles }) => {
    const [condition, roleIds] = [conditions.get(of), idsOf(roles)];
    return condition !== undefined && roleIds !== null && isTaken({ roleIds, condition });
  });
}

const modeOf = ({ observing }: Pick<BesideOtherBots, 'observing'>): GuildSettings['mode'] =>
  observing ? 'observe' : 'enforce';

const inOrder = (remarks: LineRemark[]): LineRemark[] => remarks.sort((a, b) => a.line - b.line);

/** Sorts drafts into new ones, existing ones, and those that the rules for new mappings refuse. */
async function sortOut(
  drafts: readonly ImportedDraft[],
  within: Snapshot & Manner & { there: readonly Mapping[]; mapper: RuleAuthor },
): Promise<Pick<ImportPlan, 'fresh' | 'skipped' | 'refused'>> {
  const { there, mapper } = within;
  const known = new Map<string, string | null>(there.map((mapping) => [ruleKey(mapping), mapping._id]));
  const sorted: Pick<ImportPlan, 'fresh' | 'skipped' | 'refused'> = { fresh: [], skipped: [], refused: [] };
  for (const { line, draft } of drafts) {
    const same = known.get(ruleKey(draft));
    if (same !== undefined) {
      sorted.skipped.push({ line, mappingId: same });
      continue;
    }
    const refusal = await requireWritable(within, mapper, draft).then(() => null, asRefusal);
    if (refusal !== null) {
      sorted.refused.push({ line, code: lineRemark.shape.code.parse(refusal.code), message: wordsOf(refusal) });
      continue;
    }
    known.set(ruleKey(draft), null);
    sorted.fresh.push({ line, draft });
  }
  return sorted;
}

/** Turns an error into its line's refusal. A platform's failure is no fault in the line, and is thrown. */
function asRefusal(error: unknown): AppError {
  if (error instanceof AppError && error.kind !== 'unavailable') return error;
  throw error;
}

function wordsOf(refusal: AppError): string {
  if (!(refusal instanceof InvalidRequest)) return refusalWords(refusal);
  return refusal.issues.map(({ path, message }) => `${path} ${message}`).join('; ');
}
