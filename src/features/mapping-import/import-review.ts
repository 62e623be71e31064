import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import { type DraftOwner, dropDraft, keepDraft, readDraft } from '../../core/drafts/review-drafts.js';
import { findGroups } from '../../core/groups/linked-groups.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { VersionMismatch } from '../../lib/errors.js';
import { readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { type MappingDraft, mappingDraft } from '../mappings/mapping-draft.js';
import { type RoleWarning, roleWarnings } from '../mappings/mapping-status.js';
import { rolesGiven } from '../mappings/whole-group.js';
import { importMappings } from './import-service.js';
import { importFormat, type MappingImport } from './import-view.js';

/** A review's content: the mappings by their role ids, without refused lines. */
const reviewedImport = z.strictObject({
  format: importFormat,
  mappings: z.array(mappingDraft),
  groups: z.array(z.string()),
  dangers: z.array(z.strictObject({ roleId: z.string(), permissions: z.array(z.string()) })),
});

export interface GivenImport {
  format: z.output<typeof importFormat>;
  text: string;
}

/** An import's effect. `key` names exactly this effect for its confirmation; null when there is nothing to confirm. */
export interface ImportReview {
  plan: MappingImport;
  dangers: RoleWarning[];
  key: string | null;
}

const draftOf = (guild: Guild, person: Actor): DraftOwner => ({
  guildId: guild._id,
  chatUserId: person.id,
  kind: 'import',
});

/**
 * Works out an imported text's effect, and stores it for the person's confirmation. Throws as `importMappings` does.
 */
export async function reviewImport(guild: Guild, person: Actor, given: GivenImport): Promise<ImportReview> {
  const plan = await importMappings(guild, person, { ...given, addGroups: true, dryRun: true });
  const mappings = plan.created.map(({ mapping }) => mappingDraft.parse(mapping));
  const dangers = await dangersOf(guild, mappings);
  if (mappings.length === 0 || !plan.limits.fits) return { plan, dangers, key: null };
  const shown: z.output<typeof reviewedImport> = {
    format: given.format,
    mappings,
    groups: plan.addedGroups,
    dangers,
  };
  return { plan, dangers, key: await keepDraft(draftOf(guild, person), shown) };
}

/**
 * Imports a review as shown, or nothing. Mappings that others have made in the meantime are skipped. Throws NotFound
 * `nothing_to_answer` for a key that does not wait for this person, VersionMismatch when a mapping is now refused or
 * has another effect, and as `importMappings` does.
 */
export async function importReviewed(guild: Guild, person: Actor, key: string): Promise<MappingImport> {
  const owner = draftOf(guild, person);
  const { format, mappings, groups, dangers } = await readDraft(owner, key, reviewedImport);
  if (!isDeepStrictEqual(await dangersOf(guild, mappings), dangers)) throw new VersionMismatch();
  const imported = await importMappings(
    guild,
    person,
    { mappings, addGroups: true, dryRun: false },
    {
      format,
      onlyIf: ({ refused, addedGroups }) =>
        refused.length === 0 && addedGroups.every((groupId) => groups.includes(groupId)),
    },
  );
  await dropDraft(owner, key);
  return imported;
}

/** The dangerous roles that the mappings give at present, in mapping order. */
async function dangersOf({ _id: guildId }: Guild, mappings: readonly MappingDraft[]): Promise<RoleWarning[]> {
  const [facts, groups] = await Promise.all([readGuildFacts(guildId), findGroups(guildId)]);
  return roleWarnings([...new Set(mappings.flatMap((mapping) => rolesGiven(mapping, { facts, groups })))], facts);
}
