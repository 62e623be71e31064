import { z } from 'zod';
import { InvalidRequest } from '../../lib/errors.js';
import type { Condition } from '../mappings/condition.js';
import type { MappingDraft } from '../mappings/mapping-draft.js';

/** A condition as an import says it: game roles by their id or name. */
export type ProposedCondition = Condition | { type: 'named_game_role'; groupId: string; name: string };

/** A mapping as an import proposes it. */
export interface Proposal {
  /** Where it begins, from 1: a line of the text; of a list, the place in it. */
  line: number;
  name: string | null;
  condition: ProposedCondition;
  /** Discord roles: by id, as a mention (`<@&id>`), or by name, with or without an @. */
  roles: string[];
  /** A role may end in what ends a sentence or italics in the text, `.` or `_`, if no role has a name with it. */
  mayEndLikeSentence?: boolean;
  /** None where the source knows of none. */
  nickname?: MappingDraft['nickname'];
  removeWhenUnmatched: boolean;
  enabled: boolean;
}

/** What can be said of a line: what was not understood of its text or found by its names, and what forbids a mapping. */
export const lineRemark = z
  .strictObject({
    line: z.int().describe('The line of the text, or the place in the list, from 1.'),
    code: z.enum([
      'not_understood',
      'unsupported',
      'cut_off',
      'left_out',
      'group_not_attached',
      'role_ambiguous',
      'game_role_not_found',
      'game_role_ambiguous',
      'game_group_not_found',
      'role_not_found',
      'role_unmanageable',
      'forbidden',
      'invalid_request',
    ]),
    message: z.string(),
  })
  .meta({ id: 'ImportRemark', description: 'What is to be said of a line.' });
export type LineRemark = z.output<typeof lineRemark>;

/** Most things that are said of one text. A server has at most 1,000 mappings. */
const mostRemarks = 5_000;

/** What a parser makes of a text. Every line that is no mere ornament is in one of the three. */
export class ParsedImport {
  readonly proposals: Proposal[] = [];
  /** What was not understood, or has no counterpart here. */
  readonly refused: LineRemark[] = [];
  /** What is left out of a proposal that stands. */
  readonly notes: LineRemark[] = [];

  /** Roles are taken away from who does not match, and the mapping is switched on. */
  propose(
    line: number,
    condition: ProposedCondition,
    roles: string[],
    more: Pick<Proposal, 'mayEndLikeSentence'> = {},
  ): void {
    this.take({ line, name: null, condition, roles, removeWhenUnmatched: true, enabled: true, ...more });
  }

  /** Throws InvalidRequest for a text of more than 5,000 mappings and refused lines. */
  take(...proposals: Proposal[]): void {
    this.proposals.push(...proposals);
    this.#requireBounded();
  }

  refuse(line: number, message: string, code: LineRemark['code'] = 'not_understood'): void {
    this.refused.push({ line, code, message });
    this.#requireBounded();
  }

  note(line: number, message: string): void {
    this.notes.push({ line, code: 'left_out', message });
    this.#requireBounded();
  }

  #requireBounded(): void {
    if (this.proposals.length + this.refused.length + this.notes.length <= mostRemarks) return;
    throw new InvalidRequest([
      { path: 'text', message: 'has more lines than a server can have mappings: import it in parts' },
    ]);
  }
}

/** Whoever holds one of these ranks; all of 1 to 255 is everybody in the group, and 0 everybody outside of it. */
export function conditionOfRanks(groupId: string, ranks: readonly number[]): Condition | null {
  const ranges: { min: number; max: number }[] = [];
  const sorted = [...new Set(ranks)].sort((a, b) => a - b);
  for (const rank of sorted.filter((rank) => rank > 0)) {
    const last = ranges.at(-1);
    if (last?.max === rank - 1) last.max = rank;
    else ranges.push({ min: rank, max: rank });
  }
  const parts = ranges.map((range) => rankRange(groupId, range.min, range.max));
  if (sorted[0] === 0) parts.push({ type: 'not', of: { type: 'group_member', groupId } });
  return anyOf(parts);
}

/** Whoever holds a rank from `min` to `max`. */
export function rankRange(groupId: string, min: number, max: number): Condition {
  if (min <= 1 && max >= 255) return { type: 'group_member', groupId };
  return { type: 'group_rank', groupId, min, max };
}

/** Any of the conditions; null for none. */
export function anyOf(parts: readonly Condition[]): Condition | null {
  const [first, ...others] = parts;
  if (first === undefined) return null;
  return others.length === 0 ? first : { type: 'any', of: [...parts] };
}
