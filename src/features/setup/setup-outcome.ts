import { createHash } from 'node:crypto';
import { z } from 'zod';
import { requireStillAllowed } from '../../core/access/guild-access.js';
import type { Actor } from '../../core/actors/actor.js';
import { authorOf } from '../../core/actors/reach.js';
import { findGroups, type LinkedGroup } from '../../core/groups/group-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { changeSettings } from '../../core/settings/settings-change.js';
import { requireMeaningful } from '../../core/settings/settings-rules.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { completeChangesOf, inWholeChange } from '../../core/settings/whole-changes.js';
import { type GuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { draftOf, type MappingDraft } from '../mappings/mapping-draft.js';
import {
  createMapping,
  listAllMappings,
  type Manner,
  requireRoom,
  requireWritable,
  ruleKey,
} from '../mappings/mapping-service.js';
import { type RoleWarning, roleWarnings } from '../mappings/mapping-status.js';
import { readMappingsSnapshot } from '../mappings/mappings-snapshot.js';
import { rolesGiven } from '../mappings/whole-group.js';
import { type Setup, storedSetup } from './setup-model.js';
import { ranksBeside, rule, wholeGroup } from './setup-service.js';

/** A mapping that a setup adds, and the Discord roles that it currently gives. */
interface AddedMapping {
  draft: MappingDraft;
  roleIds: string[];
}

/** A setup's result: the mappings that it adds, all mappings with them, and the settings. */
export interface SetupOutcome {
  added: AddedMapping[];
  mappings: MappingDraft[];
  settings: { before: GuildSettings; after: GuildSettings };
  groups: readonly LinkedGroup[];
  facts: GuildFacts;
  /** The roles in the added mappings that are dangerous to give. */
  dangers: RoleWarning[];
  /** A key for exactly this outcome, and the setup's panel. */
  key: string;
}

/** The mappings and settings that the guild would have if `actor` applied a setup now. Writes nothing. */
export async function outcomeOf(setup: Setup, actor: Actor): Promise<SetupOutcome> {
  const { guildId, groupId, verifiedRoleId } = setup;
  const [stored, before, groups, facts] = await Promise.all([
    listAllMappings(guildId),
    readSettings(guildId),
    findGroups(guildId),
    readGuildFacts(guildId),
  ]);
  const { ceilingRoleId } = await authorOf(actor, facts);
  const there = new Set(stored.map(ruleKey));
  const chosen = (await ranksBeside(setup, facts))?.ranks.filter(({ isChosen }) => isChosen) ?? [];
  const wanted = [
    ...(groupId === null ? [] : [wholeGroup(groupId)]),
    ...chosen.map(({ rank, roleIds }) => ruleOfRank(groupId ?? '', rank.gameRoleId, roleIds)),
    ...(verifiedRoleId === null ? [] : [rule({ type: 'verified' }, [verifiedRoleId])]),
  ];
  const added = wanted
    .filter((draft) => !there.has(ruleKey(draft)))
    .map((draft) => ({ draft, roleIds: rolesGiven({ ...draft, ceilingRoleId }, { facts, groups }) }));
  const mappings = [...stored.map(draftOf), ...added.map(({ draft }) => draft)];
  const settings = { before, after: settingsOf(setup, before) };
  const dangers = roleWarnings([...new Set(added.flatMap(({ roleIds }) => roleIds))], facts);
  return { added, mappings, settings, groups, facts, dangers, key: keyOf(setup, { added, settings, dangers }) };
}

const ruleOfRank = (groupId: string, gameRoleId: string, roleIds: string[]): MappingDraft =>
  rule({ type: 'group_role', groupId, gameRoleId }, roleIds);

export const settingsOf = (
  { nickname, methods }: Pick<Setup, 'nickname' | 'methods'>,
  settings: GuildSettings,
): GuildSettings => ({
  ...settings,
  nickname,
  verification: { ...settings.verification, methods },
});

function keyOf(
  { channelId, panel }: Setup,
  { added, settings, dangers }: Pick<SetupOutcome, 'added' | 'settings' | 'dangers'>,
): string {
  const { before, after } = settings;
  const change = [before, after].map(({ nickname, verification }) => [nickname, verification.methods]);
  return createHash('sha256').update(JSON.stringify({ added, change, dangers, channelId, panel })).digest('base64url');
}

export interface SetupWish {
  /** Identifies the result that the person has seen. */
  key: string;
  /** Whether the guild observes from now on, so that no member is changed. */
  observe: boolean;
}

/**
 * Writes a setup's whole result: everything is checked first, and syncs start after all writes. Returns the guild's
 * mode from then on; null, and writes nothing, if `key` belongs to another result. A repetition adds nothing twice.
 * Throws as `createMapping` and `changeSettings` do, and Conflict `busy`.
 */
export async function applySetup(
  guild: Guild,
  actor: Actor,
  setup: Setup,
  { key, observe }: SetupWish,
): Promise<GuildSettings['mode'] | null> {
  return inWholeChange(guild, async (make) => {
    const outcome = await outcomeOf(setup, actor);
    if (outcome.key !== key) return null;
    await requireAllowed(guild, actor, outcome, mannerOf(observe));
    const shown = outcome.added.map(({ draft }) => draft);
    const wish: z.input<typeof storedWish> = { ...setup, observe, shown };
    const change = { kind: 'setup', by: actor, wish: JSON.stringify(wish) } as const;
    await make(change, () => writeOutcome(guild, actor, wish, shown));
    return observe ? 'observe' : outcome.settings.before.mode;
  });
}

/** Mappings come before the mode, and are taken as it leaves them (CONF-62). */
const mannerOf = (observe: boolean): Manner => (observe ? { mode: 'observe' } : {});

async function requireAllowed(
  guild: Guild,
  actor: Actor,
  { added, settings }: SetupOutcome,
  manner: Manner,
): Promise<void> {
  const snapshot = await readMappingsSnapshot(guild);
  const mapper = await authorOf(actor, snapshot.facts);
  for (const { draft } of added) await requireWritable({ ...snapshot, ...manner }, mapper, draft);
  requireRoom(snapshot, added.length);
  await requireMeaningful(guild, actor, settings.before, settings.after);
}

/** A setup that is being applied, with the mappings that its key showed. An older version's lacks both. */
const storedWish = storedSetup.extend({
  observe: z.boolean().default(false),
  shown: z.array(z.custom<MappingDraft>()).optional(),
});

async function writeOutcome(
  guild: Guild,
  actor: Actor,
  { observe = false, ...setup }: z.input<typeof storedWish>,
  added: readonly MappingDraft[],
): Promise<void> {
  for (const draft of added) await createMapping(guild, actor, draft, mannerOf(observe));
  const mode = observe ? { mode: 'observe' as const } : {};
  await changeSettings(guild, actor, (current) => ({ ...settingsOf(setup, current), ...mode }));
}

completeChangesOf('setup', {
  async finish(guild, actor, stored) {
    await requireStillAllowed(guild, actor);
    const wish = storedWish.parse(stored);
    const { added } = await outcomeOf(wish, actor);
    const there = new Set((await listAllMappings(guild._id)).map(ruleKey));
    const left = wish.shown?.filter((draft) => !there.has(ruleKey(draft)));
    await writeOutcome(guild, actor, wish, left ?? added.map(({ draft }) => draft));
  },
});
