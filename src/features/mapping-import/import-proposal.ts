import { z } from 'zod';
import { InvalidRequest } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';
import type { Condition } from '../mappings/condition.js';
import type { MappingDraft } from '../mappings/mapping-draft.js';

/** A condition as an import writes it: game roles by their id or name. */
export type ProposedCondition = Condition | { type: 'named_game_role'; groupId: string; name: string };

/** A mapping as an import proposes it. */
export interface Proposal {
  /** Where it begins, from 1: a line in the text, or an entry in a list. */
  line: number;
  name: string | null;
  condition: ProposedCondition;
  /** Discord roles: by id, as a mention (`<@&id>`), or by name, with or without an @. */
  roles: string[];
  /**
   * Allows a role without its final `.` or `_`, which may end a sentence or italics in the text. Names with it go
   * first.
   */
  mayEndLikeSentence?: boolean;
  /** Absent if the source has no nicknames. */
  nickname?: MappingDraft['nickname'];
  removeWhenUnmatched: boolean;
  enabled: boolean;
}

/** A remark about a line: text that was not understood, a name that was not found, or a rule against the mapping. */
export const lineRemark = z
  .strictObject({
    line: z.int().describe('The line of the text, or the place in the list, from 1.'),
    code: z.enum([
      'not_understood',
      'unsupported',
      'cut_off',
      'left_out',
      'given_twice',
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
  .meta({ id: 'ImportRemark', description: 'A remark about a line.' });
export type LineRemark = z.output<typeof lineRemark>;

/** The most remarks about one text. A server has at most 1,000 mappings. */
const mostRemarks = 5_000;

/** Roles that a bind takes away; `of`: the line of its proposal. */
export interface Removal {
  line: number;
  of: number;
  roles: string[];
}

/** A parser's result. Every line except mere ornament is in one of the three lists. */
export class ParsedImport {
  readonly proposals: Proposal[] = [];
  /** Lines that were not understood, or have no counterpart here. */
  readonly refused: LineRemark[] = [];
  /** Parts left out from an accepted proposal. */
  readonly notes: LineRemark[] = [];
  /** The roles that noted lines take away. */
  readonly removals: Removal[] = [];

  /** Adds a mapping that is switched on and removes its roles from people without a match. */
  propose(
    line: number,
    condition: ProposedCondition,
    roles: string[],
    more: Pick<Proposal, 'mayEndLikeSentence'> = {},
  ): void {
    this.take({ line, name: null, condition, roles, removeWhenUnmatched: true, enabled: true, ...more });
  }

  /** Throws InvalidRequest for a text with more than 5,000 mappings and refused lines. */
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
    throw new InvalidRequest([{ path: 'text', message: t('import_text.too_long') }]);
  }
}

/**
 * A condition for the holders of these ranks. 1 to 255 together mean all members of the group, and 0 everyone outside
 * it.
 */
export function conditionOfRanks(groupId: string, ranks: Ranks): Condition | null {
  const parts: Condition[] = [];
  for (let min = ranks.indexOf(1, 1); min !== -1; ) {
    const after = ranks.indexOf(0, min);
    parts.push(rankRange(groupId, min, after === -1 ? 255 : after - 1));
    min = after === -1 ? -1 : ranks.indexOf(1, after);
  }
  if (ranks[0] === 1) parts.push({ type: 'not', of: { type: 'group_member', groupId } });
  return anyOf(parts);
}

/** Ranks from 0 to 255: 1 at each one's place. */
export type Ranks = Uint8Array;

/** A rank set with a range's ranks, both ends included. */
export const withRanks = (min: number, max: number, others: Ranks = new Uint8Array(256)): Ranks =>
  others.fill(1, min, max + 1);

export function rankRange(groupId: string, min: number, max: number): Condition {
  if (min <= 1 && max >= 255) return { type: 'group_member', groupId };
  return { type: 'group_rank', groupId, min, max };
}

/** A condition that any part meets; null for no part. */
export function anyOf(parts: readonly Condition[]): Condition | null {
  const [first, ...others] = parts;
  if (first === undefined) return null;
  return others.length === 0 ? first : { type: 'any', of: [...parts] };
}
