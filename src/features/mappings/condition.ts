import { z } from 'zod';
import { gameId } from '../../lib/ids.js';
import type { GroupRoles } from '../../platforms/roblox/memberships.js';
import { type GameItem, type GameTraits, gameItem, itemKey, noTraits, unknownTraits } from './game-traits.js';
import { type FactCondition, factCondition, meetsFact, type ReportedFacts } from './reported-facts.js';

/** A condition's maximum depth (MAP-1). A single condition has depth 1; each all, any or not around it adds 1. */
const MAX_CONDITION_DEPTH = 4;

/** Roblox's highest rank in a group, which the owner has. */
export const highestRank = 255;

/** Maximum account age that a condition may ask for, in days: ten years. */
export const longestAgeDays = 3_650;

const rank = z.int().min(0).max(highestRank);
const between = { path: ['max'], error: 'must not be less than min' };

/** A condition as it is stored and returned. Input goes through `condition`. */
export const conditionTree = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('verified') }).meta({ id: 'VerifiedCondition' }),
    z.strictObject({ type: z.literal('unverified') }).meta({ id: 'UnverifiedCondition' }),
    z.strictObject({ type: z.literal('group_member'), groupId: gameId }).meta({ id: 'GroupMemberCondition' }),
    z
      .strictObject({ type: z.literal('group_rank'), groupId: gameId, min: rank, max: rank })
      .refine(({ min, max }) => min <= max, between)
      .meta({ id: 'GroupRankCondition' }),
    z
      .strictObject({ type: z.literal('group_role'), groupId: gameId, gameRoleId: gameId })
      .meta({ id: 'GroupRoleCondition' }),
    z
      .strictObject({ type: z.literal('group_roles'), groupId: gameId, match: z.literal('name') })
      .meta({ id: 'GroupRolesCondition' })
      .describe('Each rank of the group gives the role of the same name. It is used alone, without `roleIds`.'),
    z.strictObject({ type: z.literal('premium') }).meta({ id: 'PremiumCondition' }),
    z
      .strictObject({ type: z.literal('account_age'), days: z.int().min(1).max(longestAgeDays) })
      .meta({ id: 'AccountAgeCondition' })
      .describe('The Roblox account was created at least this many days ago.'),
    z
      .strictObject({ type: z.literal('owns_item'), ...gameItem })
      .meta({ id: 'OwnsItemCondition' })
      .describe('The item is in the inventory, which must be public.'),
    factCondition,
    z
      .strictObject({
        type: z.literal('all'),
        get of() {
          return z.array(conditionTree).min(1).max(10);
        },
      })
      .meta({ id: 'AllCondition' }),
    z
      .strictObject({
        type: z.literal('any'),
        get of() {
          return z.array(conditionTree).min(1).max(10);
        },
      })
      .meta({ id: 'AnyCondition' }),
    z
      .strictObject({
        type: z.literal('not'),
        get of() {
          return conditionTree;
        },
      })
      .meta({ id: 'NotCondition' }),
  ])
  .meta({ id: 'Condition' });

/** The condition for a mapping's roles (MAP-1). */
export type Condition = z.output<typeof conditionTree>;

/**
 * A condition from outside. Its depth is checked first, since the parser itself recurses: 64 KiB with nested `not`
 * would exhaust the stack.
 */
export const condition = z.preprocess((value, context) => {
  const path = pathBeyondDepth(value, MAX_CONDITION_DEPTH);
  if (path === null) return value;
  context.addIssue({ code: 'custom', path, message: `is nested deeper than ${MAX_CONDITION_DEPTH} levels` });
  return z.NEVER;
}, conditionTree);

/** The path to a part deeper than `levels`; null if there is none. */
function pathBeyondDepth(value: unknown, levels: number): PropertyKey[] | null {
  if (levels === 0) return [];
  if (typeof value !== 'object' || value === null || !('of' in value)) return null;
  const parts = Array.isArray(value.of)
    ? value.of.map((part: unknown, index) => ({ part, at: ['of', index] }))
    : [{ part: value.of, at: ['of'] }];
  for (const { part, at } of parts) {
    const path = pathBeyondDepth(part, levels - 1);
    if (path !== null) return [...at, ...path];
  }
  return null;
}

/** All facts that conditions read. None may be left out, so that no caller forgets a new one. */
export interface ConditionFacts {
  verified: boolean;
  ranks: GroupRoles;
  /** Groups whose memberships are unknown. */
  missing: ReadonlySet<string>;
  /** The groups' role ranks by id, if Roblox shows only a member's highest role (RANK-27); else undefined. */
  highestOnly: ReadonlyMap<string, number> | undefined;
  /** Undefined if unknown. */
  traits: GameTraits | undefined;
  /** Facts from the guild's game; null without an account, or with a gone one: they have none (FACT-10). */
  reported: ReportedFacts | null;
}

/**
 * Whether a person meets a condition; null if that depends on unknown facts. A group's member can hold several roles in
 * it, and any counts. Rank 0 means outside the group. No member holds it, so it never matches.
 */
export function matches(wanted: Condition, facts: ConditionFacts): boolean | null {
  switch (wanted.type) {
    case 'verified':
      return facts.verified;
    case 'unverified':
      return !facts.verified;
    case 'all':
      return joined(wanted.of, facts, false);
    case 'any':
      return joined(wanted.of, facts, true);
    case 'not': {
      const part = matches(wanted.of, facts);
      return part === null ? null : !part;
    }
    case 'premium':
    case 'account_age':
    case 'owns_item':
      return hasTrait(wanted, facts.verified ? (facts.traits ?? unknownTraits) : noTraits);
    case 'fact':
      return facts.reported === null ? false : meetsFact(wanted, facts.reported.get(wanted.key));
    case 'group_member':
    case 'group_rank':
    case 'group_role':
    case 'group_roles':
      return facts.missing.has(wanted.groupId) ? null : holdsRole(wanted, rolesIn(wanted.groupId, facts), facts);
  }
}

/** Joins parts by all or any. A part with the answer `deciding` decides the whole, even if other parts are unknown. */
function joined(parts: readonly Condition[], facts: ConditionFacts, deciding: boolean): boolean | null {
  const answers = parts.map((part) => matches(part, facts));
  if (answers.includes(deciding)) return deciding;
  return answers.includes(null) ? null : !deciding;
}

function holdsRole(
  wanted: GroupCondition,
  roles: HeldInGroup,
  { highestOnly }: Pick<ConditionFacts, 'highestOnly'>,
): boolean | null {
  const [highest] = roles;
  if (roles.some((held) => isWanted(wanted, held))) return true;
  if (highest === undefined || highestOnly === undefined) return false;
  return mayBeLower(wanted, highest.rank, highestOnly) ? null : false;
}

type GroupCondition = Extract<Condition, { groupId: string }>;

function isWanted(wanted: GroupCondition, held: HeldInGroup[number]): boolean {
  switch (wanted.type) {
    case 'group_member':
    case 'group_roles':
      return true;
    case 'group_rank':
      return held.rank >= wanted.min && held.rank <= wanted.max;
    case 'group_role':
      return held.gameRoleId === wanted.gameRoleId;
  }
}

/** Whether a member could hold the wanted role below the only visible one. A role with an unknown rank could be any. */
function mayBeLower(wanted: GroupCondition, highest: number, rankOf: ReadonlyMap<string, number>): boolean {
  if (wanted.type === 'group_rank') return wanted.min <= highest;
  return wanted.type === 'group_role' && (rankOf.get(wanted.gameRoleId) ?? 0) <= highest;
}

/** The answer part that says that Roblox shows this bot only a member's highest role (RANK-27). */
export const highestRoleOnly = z
  .literal(true)
  .describe('Without ROBLOX_API_KEY only the highest role of a member in a group is visible, so lower ones stay open.');

/** Whether a condition asks for a role that a higher one could hide from a bot without a key. */
export const asksLowerRoles = (condition: Condition): boolean =>
  leavesOf(condition).some(
    ({ leaf }) =>
      leaf.type === 'group_role' || leaf.type === 'group_roles' || (leaf.type === 'group_rank' && leaf.max < 255),
  );

function hasTrait(wanted: TraitCondition, traits: GameTraits): boolean | null {
  switch (wanted.type) {
    case 'premium':
      return traits.premium;
    case 'account_age':
      return traits.ageDays === null ? null : traits.ageDays >= wanted.days;
    case 'owns_item':
      return traits.owns(wanted);
  }
}

type HeldInGroup = readonly { gameRoleId: string; rank: number }[];

const rolesIn = (groupId: string, { ranks }: ConditionFacts): HeldInGroup => ranks.get(groupId) ?? [];

/** A condition part without its own parts, and its path within the whole (`of.0`, empty for the whole). */
export interface ConditionLeaf {
  path: string;
  leaf: Exclude<Condition, { type: TypeAbout<'parts'> }>;
}

/** All condition parts without their own parts, in order. */
export function leavesOf(whole: Condition, path = ''): ConditionLeaf[] {
  const within = (step: string): string => (path === '' ? step : `${path}.${step}`);
  switch (whole.type) {
    case 'all':
    case 'any':
      return whole.of.flatMap((part, index) => leavesOf(part, within(`of.${index}`)));
    case 'not':
      return leavesOf(whole.of, within('of'));
    default:
      return [{ path, leaf: whole }];
  }
}

/** The groups whose memberships a condition needs, each once. */
export function groupIdsOf(whole: Condition): string[] {
  return [...new Set(leavesOf(whole).flatMap(({ leaf }) => ('groupId' in leaf ? leaf.groupId : [])))];
}

/**
 * The groups that a person must be outside, or below a rank in, for a condition: those under an odd number of `not`.
 */
export function groupIdsDenied(whole: Condition, isDenied = false): string[] {
  switch (whole.type) {
    case 'all':
    case 'any':
      return [...new Set(whole.of.flatMap((part) => groupIdsDenied(part, isDenied)))];
    case 'not':
      return groupIdsDenied(whole.of, !isDenied);
    default:
      return isDenied ? groupIdsOf(whole) : [];
  }
}

/** The subjects of conditions; `parts` are conditions themselves. */
export type ConditionSubject = 'link' | 'group' | 'account' | 'game' | 'parts';

/** Each condition kind's subject. */
const subjectOf = {
  verified: 'link',
  unverified: 'link',
  group_member: 'group',
  group_rank: 'group',
  group_role: 'group',
  group_roles: 'group',
  premium: 'account',
  account_age: 'account',
  owns_item: 'account',
  fact: 'game',
  all: 'parts',
  any: 'parts',
  not: 'parts',
} as const satisfies Record<Condition['type'], ConditionSubject>;
type TypeAbout<Subject> = {
  [Type in Condition['type']]: (typeof subjectOf)[Type] extends Subject ? Type : never;
}[Condition['type']];

/** A condition on the account itself, not on its groups. */
export type TraitCondition = Extract<Condition, { type: TypeAbout<'account'> }>;

const isTrait = (leaf: Condition): leaf is TraitCondition => subjectOf[leaf.type] === 'account';

/** The conditions on the account itself within these conditions. */
export const traitConditionsOf = (conditions: readonly Condition[]): TraitCondition[] =>
  conditions.flatMap((whole) => leavesOf(whole).flatMap(({ leaf }) => (isTrait(leaf) ? leaf : [])));

/** The conditions on facts from the guild's game within these conditions. */
export const factConditionsOf = (conditions: readonly Condition[]): FactCondition[] =>
  conditions.flatMap((whole) => leavesOf(whole).flatMap(({ leaf }) => (leaf.type === 'fact' ? leaf : [])));

/** The items that these conditions name, each once. */
export function itemsOf(conditions: readonly TraitCondition[]): GameItem[] {
  const items = conditions.flatMap((wanted) => (wanted.type === 'owns_item' ? wanted : []));
  return [...new Map(items.map((item) => [itemKey(item), { kind: item.kind, id: item.id }])).values()];
}
