import { z } from 'zod';
import { InvalidRequest } from '../../lib/errors.js';
import { wholeNumber } from '../../lib/fields.js';
import { readJson } from '../../lib/given-text.js';
import { t } from '../../lib/translate.js';
import type { Condition } from '../mappings/condition.js';
import { anyOf, conditionOfRanks, ParsedImport, type Ranks, withRanks } from './import-proposal.js';

/** An id as text. A number only if it is exact, since JSON's numbers lose a Discord id's last digits. */
const id = z.union([z.string(), z.int()]).transform(String);
const isRank = 'must be a rank from 0 to 255';
const rank = z.union([z.int().min(0).max(255), wholeNumber(0, 255, isRank)]);

/** A binding as RoVer stores and exports it. The older form names one group, one rank and a comparison. */
const binding = z.object({ role: id, groups: z.array(z.object({ id, ranks: z.array(rank) })).min(1) });
const olderBinding = z.object({ role: id, group: id, rank, operator: z.enum(['gt', 'lt', 'eq']).default('eq') });
const isOfNewerForm = (item: unknown): boolean => typeof item === 'object' && item !== null && 'groups' in item;
const settings = z.object({
  verifiedRole: id.nullish(),
  verifiedRemovedRole: id.nullish(),
  groupRankBindings: z.array(z.unknown()).default([]),
});

/** Reads RoVer's output (`!bindings`), or its bindings as JSON: the whole settings, or the list alone. */
export function parseRover(text: string): ParsedImport {
  return /^\s*[[{]/.test(text) ? parseJson(text) : parseShown(text);
}

function parseJson(text: string): ParsedImport {
  const { verifiedRole, verifiedRemovedRole, groupRankBindings } = settingsIn(text);
  const parsed = new ParsedImport();
  const words = t('import_line.no_json');
  const propose = (condition: Condition | null, role: string, line: number) => {
    if (condition === null) parsed.refuse(line, noRanks());
    else parsed.propose(line, condition, [role]);
  };
  for (const [index, item] of groupRankBindings.entries()) {
    const line = index + 1;
    const { success, data } = (isOfNewerForm(item) ? binding : olderBinding).safeParse(item);
    if (!success) parsed.refuse(line, words);
    else if ('groups' in data)
      propose(conditionOfGroups(data.groups.map(({ id, ranks }) => ({ id, ranks: allOf(ranks) }))), data.role, line);
    else propose(conditionOfGroups([{ id: data.group, ranks: ranksOf(data) }]), data.role, line);
  }
  const last = groupRankBindings.length;
  if (verifiedRole) propose({ type: 'verified' }, verifiedRole, last + 1);
  if (verifiedRemovedRole) propose({ type: 'unverified' }, verifiedRemovedRole, last + 2);
  return parsed;
}

function settingsIn(text: string): z.output<typeof settings> {
  const words = t('import_text.no_json');
  const value = readJson(text, 'text', words);
  const read = settings.safeParse(Array.isArray(value) ? { groupRankBindings: value } : value);
  if (!read.success) throw new InvalidRequest([{ path: 'text', message: words }]);
  return read.data;
}

function allOf(ranks: readonly number[]): Ranks {
  const all = withRanks(0, -1);
  for (const rank of ranks) all[rank] = 1;
  return all;
}

/** RoVer's `gt` includes the rank itself, its `lt` does not. */
function ranksOf({ rank, operator }: { rank: number; operator: 'gt' | 'lt' | 'eq' }): Ranks {
  if (operator === 'eq') return withRanks(rank, rank);
  return operator === 'gt' ? withRanks(rank, 255) : withRanks(0, rank - 1);
}

const noRanks = (): string => t('import_line.no_ranks');

interface GroupRanks {
  id: string;
  ranks: Ranks;
}

/** Virtual groups exist only in RoVer, and have a name instead of a number. */
function conditionOfGroups(groups: readonly GroupRanks[]): Condition | null {
  const parts = groups.map((group) => (/^\d+$/.test(group.id) ? conditionOfRanks(group.id, group.ranks) : null));
  return parts.some((part) => part === null) ? null : anyOf(parts.flatMap((part) => part ?? []));
}

function parseShown(text: string): ParsedImport {
  const reader = new RoverReader();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    reader.read(line.replaceAll(/\*\*|__|`{1,3}(?:markdown)?/g, '').trim(), index + 1);
  }
  return reader.end();
}

/** A role by its name and id, with the groups and ranks below it. */
interface OpenBinding {
  line: number;
  role: string;
  groups: GroupRanks[];
  /** A line below was not understood: it may have named a group, so the rest makes no mapping. */
  isBroken: boolean;
}

const ornament = /^(?:\.\.\.or|No verified or unverified roles are .*)?$/;
const heading = /^(?:Role Bindings|Group Bindings(?: \(cont\.\))?)$/;

class RoverReader {
  readonly #parsed = new ParsedImport();
  #verified: 'verified' | 'unverified' | undefined;
  #open: OpenBinding | undefined;

  read(line: string, number: number): void {
    if (ornament.test(line)) return;
    const [, un] = /^(Unv|V)erified Role$/i.exec(line) ?? [];
    const [, roleId] = /^.*<(?:@&)?(\d{17,20})>$/.exec(line) ?? [];
    if (un !== undefined || heading.test(line)) {
      this.#finish();
      this.#verified = un === undefined ? undefined : un.toLowerCase() === 'v' ? 'verified' : 'unverified';
    } else if (roleId !== undefined) this.#begin(roleId, number);
    else if (this.#open?.isBroken === true || !this.#readPart(line)) this.#refuse(number);
  }

  end(): ParsedImport {
    this.#finish();
    return this.#parsed;
  }

  /** A group, or the ranks in the group above. */
  #readPart(line: string): boolean {
    const [, groupId] = /^#? ?(?:Virtual )?Group (.+)$/.exec(line) ?? [];
    const [, text] = /^Ranks? (.+)$/.exec(line) ?? [];
    const group = this.#open?.groups.at(-1);
    if (groupId !== undefined) this.#open?.groups.push({ id: groupId, ranks: withRanks(0, -1) });
    else if (text !== undefined) {
      return group !== undefined && addRanks(text, group.ranks);
    }
    // A virtual group's argument, which is refused as a whole.
    else if (!/^Argument /.test(line)) return false;
    return this.#open !== undefined;
  }

  #refuse(number: number): void {
    this.#parsed.refuse(number, t('import_line.no_bind', { bot: 'RoVer' }));
    this.#verified = undefined;
    if (this.#open !== undefined) this.#open.isBroken = true;
  }

  #begin(role: string, line: number): void {
    this.#finish();
    if (this.#verified === undefined) this.#open = { line, role, groups: [], isBroken: false };
    else this.#parsed.propose(line, { type: this.#verified }, [role]);
    this.#verified = undefined;
  }

  #finish(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    const condition = conditionOfGroups(open.groups);
    if (open.isBroken) this.#parsed.refuse(open.line, t('import_line.bind_broken'));
    else if (condition === null) this.#parsed.refuse(open.line, noRanks());
    else this.#parsed.propose(open.line, condition, [open.role]);
  }
}

/** Adds `1-5, 7` to a set, so that a text that repeats its ranges does not grow; false for anything else. */
function addRanks(text: string, ranks: Ranks): boolean {
  for (const part of text.split(',')) {
    const [, from, to = from] = /^ *(\d{1,3})(?: ?- ?(\d{1,3}))? *$/.exec(part) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === undefined || first > last || last > 255) return false;
    withRanks(first, last, ranks);
  }
  return true;
}
