import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { requireStillAllowed } from '../../core/access/guild-access.js';
import { type Actor, systemActor } from '../../core/actors/actor.js';
import { authorOf } from '../../core/actors/reach.js';
import { attachPlanned, type LinkedGroup } from '../../core/groups/group-service.js';
import { copyOf } from '../../core/groups/linked-groups.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { guildShare } from '../../core/guilds/guild-share.js';
import { plans } from '../../core/plans/plans.js';
import { type GuildSettings, settingsWished } from '../../core/settings/guild-settings.js';
import { groupIdsOfTemplate } from '../../core/settings/nickname-template.js';
import { beginsToEnforce, changeSettings } from '../../core/settings/settings-change.js';
import { requireMeaningful } from '../../core/settings/settings-rules.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { completeChangesOf, inWholeChange } from '../../core/settings/whole-changes.js';
import { clock } from '../../lib/clock.js';
import { entityTagOf } from '../../lib/entity-tag.js';
import { InvalidRequest, NotFound, PlanLimitReached, VersionMismatch } from '../../lib/errors.js';
import { checkGroups } from '../../platforms/roblox/group-checks.js';
import { resolveProposals } from '../mapping-import/import-resolving.js';
import { removeGroup } from '../mappings/group-removal.js';
import { groupIdsNamed, type MappingDraft } from '../mappings/mapping-draft.js';
import { createMapping, type Mapping, removeMapping, requireWritable } from '../mappings/mapping-service.js';
import { updateMapping } from '../mappings/mapping-update.js';
import { type MappingsSnapshot, readMappingsSnapshot } from '../mappings/mappings-snapshot.js';
import { requireBelow } from '../mappings/roles-below.js';
import { type BegunChange, type ChangeEnds, type RulesAtOnce, withCompleted } from './config-delta.js';
import { type MappingChanges, pairDrafts, partUnchanged, type Wanted } from './config-diff.js';
import { configOf, type GuildConfig, guildConfig } from './config-document.js';

export interface TaggedConfig {
  config: GuildConfig;
  tag: string;
}

/** A guild's configuration as it is now. Throws ChatPlatformUnavailable. */
export async function readConfig(guild: Guild): Promise<TaggedConfig> {
  const { snapshot, settings } = await readRules(guild);
  return tagged(configOf(snapshot, settings));
}

/** Reads a guild's groups, mappings and settings as they are now. Throws ChatPlatformUnavailable. */
export async function readRules(guild: Guild): Promise<RulesAtOnce> {
  const [snapshot, settings] = await Promise.all([readMappingsSnapshot(guild), readSettings(guild._id)]);
  return { snapshot, settings };
}

export function tagged(config: GuildConfig): TaggedConfig {
  const tag = createHash('sha256').update(JSON.stringify(config)).digest('base64url').slice(0, 22);
  return { config, tag: `"${tag}"` };
}

/** The changes that a document would make, under each single write's rules. */
export interface ConfigPlan {
  snapshot: MappingsSnapshot;
  settings: { before: GuildSettings; after: GuildSettings };
  /** The new groups as Roblox returned them, and the groups to be removed. */
  groups: { added: LinkedGroup[]; removed: LinkedGroup[] };
  mappings: MappingChanges;
  /** All mappings as they are afterwards. */
  outcome: (Mapping | MappingDraft)[];
}

/**
 * Plans a document's changes without writing them. `onlyIf` decides by the current tag whether the configuration may be
 * replaced. Throws VersionMismatch, InvalidRequest with places in the document, PlanLimitReached, and each single
 * write's refusals.
 */
export async function planConfig(
  guild: Guild,
  actor: Actor,
  wish: GuildConfig,
  onlyIf: (tag: string) => boolean = () => true,
): Promise<ConfigPlan> {
  const now = await readRules(guild);
  if (!onlyIf(tagged(configOf(now.snapshot, now.settings)).tag)) throw new VersionMismatch();
  return planFrom(guild, actor, wish, now);
}

async function planFrom(
  guild: Guild,
  actor: Actor,
  wish: GuildConfig,
  { snapshot, settings: before }: RulesAtOnce,
): Promise<ConfigPlan> {
  const after = settingsWished(wish.settings, before);
  const groups = await planGroups(guild, wish, snapshot.groups);
  const kept = snapshot.groups.filter((group) => !groups.removed.includes(group));
  const seen = { ...snapshot, groups: [...kept, ...groups.added] };
  const { unchanged, wanted, left } = partUnchanged(wish.mappings, snapshot);
  const drafts = resolveAll(wanted, seen);
  const mappings = pairDrafts(drafts, left);
  const outcome = [...unchanged, ...drafts];
  requireGroupsKept(outcome, after, groups.removed);
  if (mappings.created.length > 0) requireRoom(guild, 'mappings', wish.mappings.length);
  if (beginsToEnforce(before, after) && actor.kind !== 'system') requireBelow(snapshot.facts, outcome);
  const mapper = await authorOf(actor, snapshot.facts);
  const judged = { ...seen, mode: after.mode };
  for (const { draft, mapping } of [
    ...mappings.created.map((draft) => ({ draft, mapping: undefined })),
    ...mappings.updated.map(({ draft, before }) => ({ draft, mapping: before })),
  ]) {
    const place = wanted[drafts.indexOf(draft)]?.place ?? 0;
    await placedAt(`mappings.${place}`, requireWritable(judged, mapper, draft, mapping));
  }
  await placedAt('settings', requireMeaningful(guild, actor, before, after, wish.groups));
  return { snapshot, settings: { before, after }, groups, mappings, outcome };
}

/** A document's changes, by a dry run in the server's share (API-96). Throws as `planConfig` does, and RateLimited. */
export function proposeConfig(guild: Guild, ...plan: Plan): Promise<ConfigPlan> {
  return guildShare.run(guild._id, () => planConfig(guild, ...plan));
}

type Plan = [actor: Actor, wish: GuildConfig, onlyIf?: (tag: string) => boolean];

/**
 * Applies a document to a guild, with one log entry for each change, as if made singly. Nothing is written that
 * `planConfig` refuses, and syncs start after all writes. A failure midway is finished or undone. Throws as
 * `planConfig` does, VersionMismatch for others' changes meanwhile, and Conflict `busy`.
 */
export async function applyConfig(
  guild: Guild,
  actor: Actor,
  wish: GuildConfig,
  onlyIf?: (tag: string) => boolean,
): Promise<ConfigPlan> {
  return inWholeChange(guild, async (make) => {
    const plan = await planConfig(guild, actor, wish, onlyIf);
    const before = configOf(plan.snapshot, plan.settings.before);
    const ids = plan.snapshot.mappings.map(({ _id }) => _id);
    const stored = JSON.stringify({ wish, before, ids } satisfies BegunChange);
    await make({ kind: 'config', by: actor, wish: stored }, () => writePlan(guild, actor, plan));
    return plan;
  });
}

/**
 * Groups come first and go last, so that each mapping has its own; the limits hold for the end. Only the versions that
 * the plan has read are replaced, and a part that somebody else has removed counts as removed. Throws VersionMismatch.
 */
async function writePlan(guild: Guild, actor: Actor, { groups, mappings, settings }: ConfigPlan): Promise<void> {
  for (const group of groups.added) await attachPlanned(guild, actor, group, groups.removed.length);
  for (const before of mappings.removed) await unlessGone(removeMapping(guild, actor, before._id, isStill(before)));
  const manner = { mode: settings.after.mode };
  for (const { before, draft } of mappings.updated)
    await updateMapping(guild, actor, before._id, draft, isStill(before), manner).catch(changedIfGone);
  for (const draft of mappings.created) await createMapping(guild, actor, draft, manner);
  if (!isDeepStrictEqual(settings.before, settings.after))
    await changeSettings(guild, actor, (current) => {
      if (!isDeepStrictEqual(current, settings.before)) throw new VersionMismatch();
      return settings.after;
    });
  for (const { groupId } of groups.removed) await unlessGone(removeGroup(guild, actor, groupId));
}

const isStill =
  (before: Mapping) =>
  (tag: string): boolean =>
    tag === entityTagOf(before);

const unlessGone = (removal: Promise<void>): Promise<void> =>
  removal.catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error;
  });

function changedIfGone(error: unknown): never {
  throw error instanceof NotFound ? new VersionMismatch() : error;
}

/** A document that is being applied, and the previous configuration. */
const storedWish = z.strictObject({
  wish: guildConfig,
  before: guildConfig,
  ids: z.array(z.string()).exactOptional(),
});

completeChangesOf('config', {
  async finish(guild, actor, stored) {
    await requireStillAllowed(guild, actor);
    await complete(guild, actor, stored, 'wish');
  },
  restore: (guild, stored) => complete(guild, systemActor('configuration'), stored, 'before'),
});

/** How often a change is planned anew for others' changes in the same moment. */
const mostTries = 5;

/** Writes what is left of a change, or takes it back. Others' later changes stay (CONF-13). */
async function complete(guild: Guild, actor: Actor, stored: unknown, end: keyof ChangeEnds): Promise<void> {
  const change = storedWish.parse(stored);
  for (let tries = 1; ; tries += 1) {
    const now = await readRules(guild);
    const plan = await planFrom(guild, actor, withCompleted(now, change, end), now);
    try {
      return await writePlan(guild, actor, plan);
    } catch (error) {
      if (!(error instanceof VersionMismatch) || tries === mostTries) throw error;
    }
  }
}

/** Adds the place in the document to an error. */
async function placedAt(place: string, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    throw new InvalidRequest(error.issues.map(({ path, message }) => ({ path: `${place}.${path}`, message })));
  }
}

async function planGroups(
  guild: Guild,
  { groups: wanted }: GuildConfig,
  attached: readonly LinkedGroup[],
): Promise<ConfigPlan['groups']> {
  const known = new Set(attached.map(({ groupId }) => groupId));
  const fresh = wanted.filter((groupId) => !known.has(groupId));
  if (fresh.length > 0) requireRoom(guild, 'groups', wanted.length);
  const { known: games, unknown } = await checkGroups(guild._id, fresh);
  if (unknown.length > 0) {
    throw new InvalidRequest(
      unknown.map((groupId) => ({
        path: `groups.${wanted.indexOf(groupId)}`,
        message: 'is not a group that Roblox knows',
      })),
    );
  }
  const added = games.map((game) => {
    return { guildId: guild._id, groupId: game.groupId, ...copyOf(game), addedAt: clock.now() };
  });
  return { added, removed: attached.filter(({ groupId }) => !wanted.includes(groupId)) };
}

/** Resolves role names, and reports all invalid mappings together. */
function resolveAll(wanted: readonly Wanted[], { facts, groups }: MappingsSnapshot): MappingDraft[] {
  const proposals = wanted.map(({ place, entry }) => ({ ...entry, line: place }));
  const { drafts, refused } = resolveProposals(proposals, { facts, groups, addGroups: false });
  if (refused.length > 0) {
    throw new InvalidRequest(refused.map(({ line, message }) => ({ path: `mappings.${line}`, message })));
  }
  return drafts.map(({ draft }) => draft);
}

function requireGroupsKept(
  outcome: ConfigPlan['outcome'],
  { nickname }: GuildSettings,
  removed: readonly LinkedGroup[],
): void {
  const named = new Set(outcome.flatMap(groupIdsNamed));
  const shown = new Set(groupIdsOfTemplate(nickname.template));
  const words = removed.flatMap(({ groupId }) => {
    if (named.has(groupId)) return `does not name ${groupId}, which a mapping goes by`;
    return shown.has(groupId) ? `does not name ${groupId}, which the nickname template of the settings shows` : [];
  });
  if (words.length === 0) return;
  throw new InvalidRequest(words.map((message) => ({ path: 'groups', message })));
}

function requireRoom({ plan }: Guild, resource: 'groups' | 'mappings', wanted: number): void {
  const limit = plans[plan][resource];
  if (wanted <= limit) return;
  throw new PlanLimitReached(`The plan ${plan} allows ${limit} ${resource}.`, { resource, limit, plan });
}
