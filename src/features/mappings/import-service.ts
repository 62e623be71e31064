import type { Actor } from '../../core/actors/actor.js';
import { type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { addGroup } from '../../core/groups/group-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { Conflict, PlanLimitReached } from '../../lib/errors.js';
import { parseBloxlink } from './import-bloxlink.js';
import { parseCsv } from './import-csv.js';
import { planImport } from './import-planning.js';
import type { ParsedImport, Proposal } from './import-proposal.js';
import { parseRover } from './import-rover.js';
import type { ImportWish, MappingImport } from './import-view.js';
import { createMappings, ruleKey } from './mapping-service.js';

const parsers = { csv: parseCsv, bloxlink: parseBloxlink, rover: parseRover };

/**
 * Imports mappings, or says as a dry run what that would do (SPEC §4). Lines that cannot be taken are named and do not
 * hold up the others; of these all are created or, when the plan has no room, none. What is there already is skipped, so
 * that the same import twice does nothing the second time. Throws InvalidRequest for a text that is not of its format at
 * all, PlanLimitReached, ChatPlatformUnavailable, GamePlatformUnavailable, Conflict `busy`.
 */
export async function importMappings(guild: Guild, actor: Actor, wish: ImportWish): Promise<MappingImport> {
  const parsed = 'mappings' in wish ? listed(wish.mappings) : parsers[wish.format](wish.text);
  const { fresh, newGroups, ...plan } = await planImport(guild, actor, parsed, wish.addGroups);
  const addedGroups = newGroups.map(({ groupId }) => groupId);
  if (wish.dryRun) {
    const created = fresh.map(({ line, draft }) => ({ line, mappingId: null, mapping: draft }));
    return { ...plan, dryRun: true, created, addedGroups };
  }
  if (!plan.limits.fits) throw noRoom(guild, plan.limits);
  for (const groupId of addedGroups) await attach(guild, actor, groupId);
  const mappings = await createMappings(
    guild,
    actor,
    fresh.map(({ draft }) => draft),
    (count) => entryOfImport(guild, actor, wish, count),
  );
  const ids = new Map(mappings.map((mapping) => [ruleKey(mapping), mapping._id]));
  const done = fresh.map(({ line, draft: mapping }) => ({
    line,
    mapping,
    mappingId: ids.get(ruleKey(mapping)) ?? null,
  }));
  const created = done.filter(({ mappingId }) => mappingId !== null);
  // Somebody else has made the same a moment ago.
  const overtaken = done.filter(({ mappingId }) => mappingId === null).map(({ line }) => ({ line, mappingId: null }));
  return { ...plan, dryRun: false, created, skipped: [...plan.skipped, ...overtaken], addedGroups };
}

const listed = (drafts: Extract<ImportWish, { mappings: unknown }>['mappings']): ParsedImport => ({
  proposals: drafts.map(({ roleIds, ...draft }, index): Proposal => ({ ...draft, roles: roleIds, line: index + 1 })),
  refused: [],
  notes: [],
});

function noRoom({ plan }: Guild, { mappings: { used, adding, limit } }: MappingImport['limits']): PlanLimitReached {
  const words = `The plan ${plan} allows ${limit} mappings: ${used} are there and ${adding} would be added. Nothing was imported.`;
  return new PlanLimitReached(words, { resource: 'mappings', limit, plan });
}

/** Somebody may have attached it a moment ago. */
async function attach(guild: Guild, actor: Actor, groupId: string): Promise<void> {
  try {
    await addGroup(guild, actor, groupId);
  } catch (error) {
    if (!(error instanceof Conflict && error.code === 'group_exists')) throw error;
  }
}

function entryOfImport(guild: Guild, actor: Actor, wish: ImportWish, count: number): NewEntry {
  return newEntry({
    guildId: guild._id,
    actor,
    action: 'mappings.imported',
    target: { kind: 'guild', id: guild._id, name: guild.name },
    changes: {
      mappings: { from: null, to: count },
      format: { from: null, to: 'mappings' in wish ? 'json' : wish.format },
    },
  });
}
