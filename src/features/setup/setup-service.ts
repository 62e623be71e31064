import type { Actor } from '../../core/actors/actor.js';
import { addGroup, findGroups, type LinkedGroup } from '../../core/groups/group-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { changeSettings } from '../../core/settings/settings-change.js';
import { requireMeaningful } from '../../core/settings/settings-rules.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { completeChangesOf, inWholeChange } from '../../core/settings/whole-changes.js';
import { Conflict } from '../../lib/errors.js';
import { type GuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { parseGameGroupReference } from '../../platforms/roblox/game-groups.js';
import { draftOf, type MappingDraft } from '../mappings/mapping-draft.js';
import { mapperOf } from '../mappings/mapping-rules.js';
import { createMapping, listAllMappings, requireRoom, requireWritable, ruleKey } from '../mappings/mapping-service.js';
import { readMappingsPicture } from '../mappings/mappings-picture.js';
import { type RankRole, ranksOf } from '../mappings/whole-group.js';
import { type Setup, Setups, storedSetup } from './setup-model.js';

export type { Setup, SetupStep } from './setup-model.js';

/** The setup that is under way in a guild, or null. */
export const findSetup = (guildId: string): Promise<Setup | null> => Setups.findOne({ guildId });

/**
 * The setup that is under way in a guild, or a new one, which begins with what is there already: its group, the role of
 * who is verified, its settings. `channelId`: where a new panel goes unless another channel is chosen. Throws
 * ChatPlatformUnavailable.
 */
export async function openSetup({ _id: guildId }: Guild, channelId: string | null): Promise<Setup> {
  const known = await findSetup(guildId);
  if (known !== null) return known;
  const [groups, mappings, settings, facts] = await Promise.all([
    findGroups(guildId),
    listAllMappings(guildId),
    readSettings(guildId),
    readGuildFacts(guildId),
  ]);
  const mapped = mappings.find(({ condition }) => condition.type === 'verified')?.roleIds[0];
  const $setOnInsert: Omit<Setup, 'guildId'> = {
    step: 'place',
    groupId: groups[0]?.groupId ?? null,
    verifiedRoleId: mapped ?? roleNamed(facts, 'verified'),
    nickname: settings.nickname,
    methods: settings.verification.methods,
    channelId,
    panel: {},
  };
  return Setups.upsert({ guildId }, { $setOnInsert });
}

/** The one role that is called so, in upper or lower case; null when there is none or several. */
function roleNamed({ roles }: GuildFacts, name: string): string | null {
  const [role, another] = [...roles.values()].filter((each) => each.name.trim().toLowerCase() === name);
  return another === undefined ? (role?.roleId ?? null) : null;
}

/** Keeps a choice. Throws Conflict `busy` when the setup was applied meanwhile. */
export async function changeSetup(guildId: string, change: Partial<Omit<Setup, 'guildId'>>): Promise<Setup> {
  const setup = await Setups.update({ guildId }, { $set: change });
  if (setup === null) throw new Conflict('busy', 'This setup was just finished. Use /setup to begin another.');
  return setup;
}

/**
 * Chooses the group of a setup, given its id or the address of its page, and attaches it unless it is attached. Throws
 * as `addGroup` does.
 */
export async function chooseGroup(guild: Guild, actor: Actor, reference: string): Promise<Setup> {
  const groupId = parseGameGroupReference(reference) ?? reference;
  try {
    await addGroup(guild, actor, groupId);
  } catch (error) {
    if (!(error instanceof Conflict && error.code === 'group_exists')) throw error;
  }
  return changeSetup(guild._id, { groupId, step: 'ranks' });
}

/** The group of a setup, with its ranks and the role of the same name beside each, lowest first. */
export interface GroupBeside {
  group: LinkedGroup;
  ranks: RankRole[];
}

/** Null when the setup has no group, or it was removed meanwhile. */
export async function ranksBeside({ guildId, groupId }: Setup, facts: GuildFacts): Promise<GroupBeside | null> {
  const groups = await findGroups(guildId);
  const group = groups.find((each) => each.groupId === groupId);
  if (group === undefined) return null;
  return { group, ranks: ranksOf(wholeGroup(group.groupId), { facts, groups }) };
}

const wholeGroup = (groupId: string): MappingDraft => rule({ type: 'group_roles', groupId, match: 'name' }, []);

const rule = (condition: MappingDraft['condition'], roleIds: string[]): MappingDraft => ({
  name: null,
  condition,
  roleIds,
  nickname: null,
  removeWhenUnmatched: true,
  enabled: true,
});

/** What a setup comes to: the mappings that it adds, all mappings with them, and the settings. */
export interface SetupOutcome {
  added: MappingDraft[];
  mappings: MappingDraft[];
  settings: GuildSettings;
}

/** What applying a setup would make of the guild's mappings and settings as they are now. Writes nothing. */
export async function outcomeOf(setup: Setup): Promise<SetupOutcome> {
  const { guildId, groupId, verifiedRoleId } = setup;
  const [stored, settings] = await Promise.all([listAllMappings(guildId), readSettings(guildId)]);
  const there = new Set(stored.map(ruleKey));
  const wanted = [
    ...(groupId === null ? [] : [wholeGroup(groupId)]),
    ...(verifiedRoleId === null ? [] : [rule({ type: 'verified' }, [verifiedRoleId])]),
  ];
  const added = wanted.filter((draft) => !there.has(ruleKey(draft)));
  const kept = stored.map(draftOf);
  return { added, mappings: [...kept, ...added], settings: settingsOf(setup, settings) };
}

const settingsOf = ({ nickname, methods }: Setup, settings: GuildSettings): GuildSettings => ({
  ...settings,
  nickname,
  verification: { ...settings.verification, methods },
});

/**
 * Writes what a setup comes to, as a whole: all of it is checked first, and nobody is synced until it is written. A second
 * time nothing is added twice. Throws as `createMappings` and `changeSettings` do, and Conflict `busy`.
 */
export async function applySetup(guild: Guild, actor: Actor, setup: Setup): Promise<void> {
  await inWholeChange(guild, async (make) => {
    const outcome = await outcomeOf(setup);
    const picture = await readMappingsPicture(guild);
    const mapper = await mapperOf(actor, picture.facts);
    for (const draft of outcome.added) await requireWritable(picture, mapper, draft);
    requireRoom(picture, outcome.added.length);
    await requireMeaningful(guild, await readSettings(guild._id), outcome.settings);
    const change = { kind: 'setup', by: actor, wish: JSON.stringify(setup) } as const;
    await make(change, () => writeOutcome(guild, actor, setup, outcome));
  });
}

async function writeOutcome(guild: Guild, actor: Actor, setup: Setup, { added }: SetupOutcome): Promise<void> {
  for (const draft of added) await createMapping(guild, actor, draft);
  await changeSettings(guild, actor, (current) => settingsOf(setup, current));
}

completeChangesOf('setup', {
  async finish(guild, actor, stored) {
    const setup = storedSetup.parse(stored);
    await writeOutcome(guild, actor, setup, await outcomeOf(setup));
  },
});

/** Ends the setup of a guild: /setup begins a new one. */
export async function endSetup(guildId: string): Promise<void> {
  await Setups.acrossGuilds.deleteOne({ guildId });
}
