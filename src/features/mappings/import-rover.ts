import { z } from 'zod';
import { InvalidRequest } from '../../lib/errors.js';
import { wholeNumber } from '../../lib/fields.js';
import type { Condition } from './condition.js';
import { anyOf, conditionOfRanks, ParsedImport } from './import-proposal.js';

const id = z.union([z.string(), z.number()]).transform(String);
const isRank = 'must be a rank from 0 to 255';
const rank = z.union([z.int().min(0).max(255), wholeNumber(0, 255, isRank)]);

/** A binding as RoVer stores and exports it; the older form names one group, one rank and how to compare it. */
const binding = z.union([
  z.object({ role: id, groups: z.array(z.object({ id, ranks: z.array(rank) })).min(1) }),
  z.object({ role: id, group: id, rank, operator: z.enum(['gt', 'lt', 'eq']).default('eq') }),
]);
const settings = z.object({
  verifiedRole: id.nullish(),
  verifiedRemovedRole: id.nullish(),
  groupRankBindings: z.array(z.unknown()).default([]),
});

/** Reads what RoVer shows (`!bindings`), or its bindings as JSON: the settings whole, or the list alone. */
export function parseRover(text: string): ParsedImport {
  return /^\s*[[{]/.test(text) ? parseJson(text) : parseShown(text);
}

function parseJson(text: string): ParsedImport {
  const { verifiedRole, verifiedRemovedRole, groupRankBindings } = readJson(text);
  const parsed = new ParsedImport();
  const propose = (condition: Condition | null, role: string, line: number) => {
    if (condition === null) parsed.refuse(line, noRanks);
    else parsed.propose(line, condition, [role]);
  };
  for (const [index, item] of groupRankBindings.entries()) {
    const line = index + 1;
    const { success, data } = binding.safeParse(item);
    if (!success) parsed.refuse(line, 'is no binding of RoVer: it needs role, and groups with ranks');
    else if ('groups' in data) propose(conditionOfGroups(data.groups), data.role, line);
    else propose(conditionOfGroups([{ id: data.group, ranks: ranksOf(data) }]), data.role, line);
  }
  const last = groupRankBindings.length;
  if (verifiedRole) propose({ type: 'verified' }, verifiedRole, last + 1);
  if (verifiedRemovedRole) propose({ type: 'unverified' }, verifiedRemovedRole, last + 2);
  return parsed;
}

function readJson(text: string): z.output<typeof settings> {
  try {
    const value: unknown = JSON.parse(text);
    return settings.parse(Array.isArray(value) ? { groupRankBindings: value } : value);
  } catch {
    throw new InvalidRequest([{ path: 'text', message: 'is not JSON with the bindings of RoVer' }]);
  }
}

/** RoVer's `gt` means this rank and above, its `lt` below. */
function ranksOf({ rank, operator }: { rank: number; operator: 'gt' | 'lt' | 'eq' }): number[] {
  const all = Array.from({ length: 256 }, (_, number) => number);
  return all.filter((number) =>
    operator === 'eq' ? number === rank : operator === 'gt' ? number >= rank : number < rank,
  );
}

const noRanks = 'names no rank that somebody can hold, or a group that is none of Roblox';

/** Virtual groups, of RoVer alone, have a name instead of a number. */
function conditionOfGroups(groups: readonly { id: string; ranks: readonly number[] }[]): Condition | null {
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

/** A role by its name and id, and below it the groups and ranks that it is for. */
interface OpenBinding {
  line: number;
  role: string;
  groups: { id: string; ranks: Set<number> }[];
}

class RoverReader {
  readonly #parsed = new ParsedImport();
  #verified: 'verified' | 'unverified' | undefined;
  #open: OpenBinding | undefined;

  read(line: string, number: number): void {
    if (/^(|Role Bindings|Group Bindings(?: \(cont\.\))?|\.\.\.or|No verified or unverified roles are .*)$/.test(line))
      return;
    const [, un] = /^(Unv|V)erified Role$/i.exec(line) ?? [];
    const [, roleId] = /^.*<(?:@&)?(\d{17,20})>$/.exec(line) ?? [];
    const [, groupId] = /^#? ?(?:Virtual )?Group (\S+)$/.exec(line) ?? [];
    const [, ranks] = /^Ranks? ([\d ,-]*)$/.exec(line) ?? [];
    if (un !== undefined) this.#verified = un.toLowerCase() === 'v' ? 'verified' : 'unverified';
    else if (roleId !== undefined) this.#begin(roleId, number);
    else if (groupId !== undefined && this.#open) this.#open.groups.push({ id: groupId, ranks: new Set() });
    else if (ranks !== undefined && this.#open) addRanks(this.#open.groups.at(-1)?.ranks, ranks);
    // Of a virtual group, which is refused as a whole.
    else if (!/^Argument /.test(line)) this.#parsed.refuse(number, 'is no binding as RoVer shows it');
  }

  end(): ParsedImport {
    this.#finish();
    return this.#parsed;
  }

  #begin(role: string, line: number): void {
    this.#finish();
    if (this.#verified === undefined) this.#open = { line, role, groups: [] };
    else this.#parsed.propose(line, { type: this.#verified }, [role]);
    this.#verified = undefined;
  }

  #finish(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    const condition = conditionOfGroups(open.groups.map(({ id, ranks }) => ({ id, ranks: [...ranks] })));
    if (condition === null) this.#parsed.refuse(open.line, noRanks);
    else this.#parsed.propose(open.line, condition, [open.role]);
  }
}

/** Adds the ranks of a text such as `1-5, 7`. The set keeps a text that repeats its ranges from growing beyond them. */
function addRanks(ranks: Set<number> | undefined, text: string): void {
  for (const [part] of text.matchAll(/\d+(?: ?- ?\d+)?/g)) {
    const [first = 0, last = first] = part.split('-').map(Number);
    for (let rank = first; rank <= Math.min(last, 255); rank += 1) ranks?.add(rank);
  }
}
