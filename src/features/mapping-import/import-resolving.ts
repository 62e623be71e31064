import type { LinkedGroup } from '../../core/groups/group-model.js';
import { t } from '../../lib/translate.js';
import type { DiscordRole, GuildFacts } from '../../platforms/discord/guild-facts.js';
import type { GameRole } from '../../platforms/roblox/game-groups.js';
import { type Condition, type ConditionLeaf, leavesOf } from '../mappings/condition.js';
import { type MappingDraft, mappingDraft, mostRolesOfMapping } from '../mappings/mapping-draft.js';
import { NamedAlike } from '../mappings/named-alike.js';
import type { LineRemark, Proposal, ProposedCondition } from './import-proposal.js';

export interface ImportedDraft {
  line: number;
  draft: MappingDraft;
}

/** Proposals after name resolution. */
export interface Resolved {
  drafts: ImportedDraft[];
  refused: LineRemark[];
}

/** Name sources: the server's roles, and the groups that are attached or, with `addGroups`, will be. */
export interface Names {
  facts: GuildFacts;
  groups: readonly LinkedGroup[];
  addGroups: boolean;
  /** Groups that were not looked up because too many others are unknown. */
  unread?: ReadonlySet<string>;
}

/** The sources, with their names indexed; the groups' as they are needed. */
interface IndexedNames extends Names {
  roles: NamedAlike<DiscordRole>;
  gameRoles: Map<string, NamedAlike<GameRole>>;
}

/** Looks up the names in proposals: the server's roles and the groups' roles. Pure. */
export function resolveProposals(proposals: readonly Proposal[], names: Names): Resolved {
  const resolved: Resolved = { drafts: [], refused: [] };
  const indexed: IndexedNames = { ...names, roles: rolesToFind(names.facts), gameRoles: new Map() };
  for (const proposal of proposals) {
    try {
      resolved.drafts.push(resolveOne(proposal, indexed));
    } catch (error) {
      if (!(error instanceof Unresolved)) throw error;
      resolved.refused.push({ line: proposal.line, code: error.code, message: error.message });
    }
  }
  return resolved;
}

class Unresolved extends Error {
  constructor(
    readonly code: LineRemark['code'],
    message: string,
  ) {
    super(message);
  }
}

function resolveOne(proposal: Proposal, names: IndexedNames): ImportedDraft {
  const { line, roles, condition, name, nickname = null, removeWhenUnmatched, enabled } = proposal;
  if (roles.length > mostRolesOfMapping)
    throw new Unresolved('invalid_request', `roleIds ${t('input.list_long', { count: mostRolesOfMapping })}`);
  const resolve = (role: string) => resolveRole(readingsOf(role, proposal.mayEndLikeSentence), names);
  const roleIds = roles.map(resolve);
  const twice = roles.find((_, index) => roleIds.indexOf(roleIds[index] ?? '') !== index);
  if (twice !== undefined) throw new Unresolved('invalid_request', t('import_line.role_twice', { role: twice }));
  const rest = { nickname, removeWhenUnmatched, enabled };
  const whole = { name, condition: resolveCondition(condition, names), roleIds, ...rest };
  const { data, error } = mappingDraft.safeParse(whole);
  if (data !== undefined) {
    for (const { leaf } of leavesOf(data.condition)) if ('groupId' in leaf) requireThere(leaf, names);
    return { line, draft: data };
  }
  const words = error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  throw new Unresolved('invalid_request', words.join('; '));
}

/** Gives the ids of a server's roles by their names; null where one is unclear. Pure. */
export function rolesNamedIn(facts: GuildFacts): (roles: readonly string[]) => string[] | null {
  const names = { facts, roles: rolesToFind(facts) };
  return (roles) => {
    try {
      return roles.map((role) => resolveRole(readingsOf(role, true), names));
    } catch (error) {
      if (error instanceof Unresolved) return null;
      throw error;
    }
  };
}

/** A server's roles but @everyone. */
const rolesToFind = ({ roles, guildId }: GuildFacts): NamedAlike<DiscordRole> =>
  new NamedAlike([...roles.values()].filter(({ roleId }) => roleId !== guildId));

/** How a role's name in a text may be read: unchanged, without a mention's @, and without the end of its sentence. */
function readingsOf(text: string, mayEndLikeSentence = false): string[] {
  const unended = mayEndLikeSentence ? text.replace(/[._]+$/, '') : text;
  return [...new Set([text, text.replace(/^@/, ''), unended, unended.replace(/^@/, '')])];
}

function resolveRole(readings: readonly string[], { facts, roles }: Pick<IndexedNames, 'facts' | 'roles'>): string {
  const [text = ''] = readings;
  const [id] = readings.flatMap((reading) => /^(?:<@&)?(\d{17,20})>?$/.exec(reading)?.[1] ?? []);
  if (id !== undefined) {
    if (facts.roles.has(id)) return id;
    throw new Unresolved('role_not_found', t('import_line.no_role_id', { id }));
  }
  const [role, another] = roles.find(readings);
  if (role === undefined) throw new Unresolved('role_not_found', t('import_line.no_role', { role: text }));
  if (another === undefined) return role.roleId;
  throw new Unresolved('role_ambiguous', t('import_line.several_roles', { role: text }));
}

function resolveCondition(condition: ProposedCondition, names: IndexedNames): Condition {
  if (condition.type !== 'named_game_role') return condition;
  const { groupId, name } = condition;
  const [role, another] = gameRolesToFind(names, groupId).find([name]);
  if (role === undefined)
    throw new Unresolved('game_role_not_found', t('import_line.no_game_role', { group: groupId, role: name }));
  if (another === undefined) return { type: 'group_role', groupId, gameRoleId: role.gameRoleId };
  throw new Unresolved('game_role_ambiguous', t('import_line.several_game_roles', { group: groupId, role: name }));
}

function gameRolesToFind(names: IndexedNames, groupId: string): NamedAlike<GameRole> {
  const known = names.gameRoles.get(groupId);
  if (known !== undefined) return known;
  const made = new NamedAlike(groupIn(names, groupId).roles);
  names.gameRoles.set(groupId, made);
  return made;
}

function requireThere(leaf: Extract<ConditionLeaf['leaf'], { groupId: string }>, names: Names): void {
  const { roles } = groupIn(names, leaf.groupId);
  if (leaf.type !== 'group_role' || roles.some((role) => role.gameRoleId === leaf.gameRoleId)) return;
  throw new Unresolved(
    'game_role_not_found',
    t('import_line.no_game_role', { group: leaf.groupId, role: leaf.gameRoleId }),
  );
}

function groupIn({ groups, addGroups, unread = new Set() }: Names, groupId: string): LinkedGroup {
  const group = groups.find((candidate) => candidate.groupId === groupId);
  if (group !== undefined) return group;
  if (unread.has(groupId)) {
    const words = t('import_line.group_unread', { group: groupId });
    throw new Unresolved('game_group_not_found', words);
  }
  if (addGroups) throw new Unresolved('game_group_not_found', t('import_line.no_game_group', { group: groupId }));
  const words = t('import_line.not_attached', { group: groupId });
  throw new Unresolved('group_not_attached', words);
}
