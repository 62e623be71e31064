import { t } from '../../lib/translate.js';
import type { Condition } from '../mappings/condition.js';
import { ParsedImport, type ProposedCondition, rankRange } from './import-proposal.js';

// Bloxlink shows binds in two ways. /viewbinds: a heading for each group and under it `Rank Officer (100):` with
// `Role(s): @Officer` in the next line. /bind and older lists: whole sentences, `People with the rank Officer (100)
// receive the role @Officer`. Both are taken as they come out of Discord's clipboard, with or without its markdown.

/** A group's members in Bloxlink's words, by rank: `Officer (100)`, or only a deleted rank's number. */
const rank = String.raw`(?:.*\((\d{1,3})\)|(\d{1,3}))`;

/** How a line about recipients opens, each with its rank range in the group. `lowest` 0: people outside it. */
const whoForms: [RegExp, (from: number, to: number) => [min: number, max: number]][] = [
  [new RegExp(`^Ranks? ${rank} (?:to|and) ${rank}(?:$|:)`), (from, to) => [from, to]],
  [new RegExp(`^Rank ${rank} or above(?:$|:)`), (from) => [from, 255]],
  [new RegExp(`^Rank ${rank} or below(?:$|:)`), (to) => [1, to]],
  [new RegExp(`^Rank ${rank}:`), (only) => [only, only]],
  [/^All group members(?:$|:)/, () => [1, 255]],
  [/^Non-group members(?:$|:)/, () => [0, 0]],
  [new RegExp(`^People with a rank (?:between|in-between the range) ${rank} (?:and|to) ${rank}$`), (a, b) => [a, b]],
  [new RegExp(`^People with a rank greater than or equal to ${rank}$`), (from) => [from, 255]],
  [new RegExp(`^People with a rank less than or equal to ${rank}$`), (to) => [1, to]],
  [new RegExp(`^People with the rank ${rank}$`), (only) => [only, only]],
  [/^People who are in this group$/, () => [1, 255]],
  [/^People who are not in (?:this|the) group$/i, () => [0, 0]],
];

/** Discord's longest message, in characters. */
const longestLine = 4_096;

const ornaments = [
  /^Bloxlink\b.*Binds?$/i,
  /^Bloxlink (?:APP|BOT)\b[^()]*$/,
  /^Use .*\bto make a new bind\b.*[^)]$/i,
  /^Page \d+\/\d+$/,
  /^Current Binds?:?$/i,
];
const otherThings = /^(Assets|Badges|Gamepasses|Catalog Assets)$/i;

export function parseBloxlink(text: string): ParsedImport {
  const reader = new BloxlinkReader();
  for (const [index, line] of text.split(/\r?\n/).entries()) reader.read(line, index + 1);
  return reader.end();
}

/** The line without markdown and without leading bullets, arrows and emojis. */
function plain(line: string): string {
  const underlined = /(?<![\p{L}\p{N}])__((?:(?!__).)+)__(?![\p{L}\p{N}])/gu;
  const bare = line
    .replaceAll(/\*\*|`|<a?:\w+:\d+>/g, '')
    .replaceAll(underlined, '$1')
    .trim();
  const unframed = bare.replace(/^(?:[^\p{L}\p{N}@<(_]|:\w+:)+/u, '').replace(/^_(.*)_$/, '$1');
  return unframed.replaceAll(/\s+/g, ' ').trim();
}

class BloxlinkReader {
  readonly #parsed = new ParsedImport();
  #groupId: string | undefined;
  /** `other`: below a heading that is not read. */
  #section: 'groups' | 'linked groups' | 'other' = 'groups';
  /** The line from which on the group is unknown. */
  #lostAt: number | undefined;
  /** The recipients named in a line above, until their roles follow. */
  #open: { line: number; condition: Condition; mayBeHeading: boolean } | undefined;

  read(line: string, number: number): void {
    if (line.length > longestLine) this.#refuse(number, t('import_line.too_long', { bot: 'Bloxlink' }));
    else this.#readLine(plain(line), number);
  }

  #readLine(line: string, number: number): void {
    if (line === '' || ornaments.some((ornament) => ornament.test(line))) return;
    if (this.#readHeading(line) || this.#readNote(line, number)) return;
    if (this.#section === 'other') {
      this.#parsed.refuse(number, t('import_line.unsupported'), 'unsupported');
    } else if (!this.#readRoles(line, number) && !this.#readSentence(line, number) && !this.#readGroup(line, number)) {
      this.#readWho(line, number);
    }
  }

  end(): ParsedImport {
    this.#dropOpen();
    return this.#parsed;
  }

  /** Refuses a line. It may have been a heading, so the lines below belong to no group until the next heading. */
  #refuse(number: number, message: string): void {
    this.#parsed.refuse(number, message);
    this.#leaveGroup(number);
  }

  #leaveGroup(number: number): void {
    this.#dropOpen();
    this.#groupId = undefined;
    this.#lostAt = number;
    if (this.#section === 'linked groups') this.#section = 'groups';
  }

  #readHeading(line: string): boolean {
    const isLinked = /^Linked Groups?$/i.test(line);
    if (!isLinked && !otherThings.test(line)) return false;
    this.#dropOpen();
    this.#groupId = undefined;
    this.#section = isLinked ? 'linked groups' : 'other';
    return true;
  }

  /** Reads a bind's other properties and truncated text. */
  #readNote(line: string, number: number): boolean {
    const [, left] = /^\.*\s*and (\d+) more\./.exec(line) ?? [];
    if (left !== undefined) {
      this.#parsed.refuse(number, t('import_line.cut_off', { left }), 'cut_off');
      this.#leaveGroup(number);
      return true;
    }
    if (!/^(Nickname|Remove Roles):/i.test(line)) return false;
    if (idAtEnd(line) > highestRank) {
      this.#refuse(number, t('import_line.maybe_heading'));
      return true;
    }
    const message = line.startsWith('N') ? t('import_line.nickname_out') : t('import_line.removals_out');
    if (this.#section === 'other') return true;
    this.#parsed.note(number, message);
    const [, roles] = /^Remove Roles: ?(.+)$/i.exec(line) ?? [];
    const of = this.#open?.line ?? this.#parsed.proposals.at(-1)?.line;
    if (roles !== undefined && of !== undefined)
      this.#parsed.removals.push({ line: number, of, roles: rolesIn(roles) });
    return true;
  }

  /** `Builders (12345)`: the group of the next lines, or a linked group itself. */
  #readGroup(line: string, number: number): boolean {
    const groupId = groupHeading(line);
    if (groupId === null) return false;
    this.#dropOpen();
    this.#groupId = groupId;
    this.#lostAt = undefined;
    if (this.#section === 'linked groups')
      this.#parsed.propose(number, { type: 'group_roles', groupId, match: 'name' }, []);
    return true;
  }

  /** `Role(s): @Officer, @Staff`, for the recipients named above. */
  #readRoles(line: string, number: number): boolean {
    const [, roles] = /^Role(?:\(s\)|s)?: (.+)$/.exec(line) ?? [];
    if (roles === undefined) return false;
    if (this.#open === undefined) this.#refuse(number, t('import_line.no_who'));
    else this.#parsed.propose(this.#open.line, this.#open.condition, rolesIn(roles), { mayEndLikeSentence: true });
    this.#open = undefined;
    return true;
  }

  /** `People with … receive the role @Officer` */
  #readSentence(line: string, number: number): boolean {
    const [, who = '', roles, removed] =
      /^(.+?) receive the roles? (.+?)(?:, and (?:will )?have these roles removed: (.+))?$/.exec(line) ?? [];
    if (roles === undefined) return false;
    this.#dropOpen();
    const condition = this.#conditionOf(who, roles, number);
    const names = condition === null || condition.type === 'group_roles' ? [] : rolesIn(roles);
    if (condition !== null) this.#parsed.propose(number, condition, names, { mayEndLikeSentence: true });
    if (removed !== undefined) this.#readNote(`Remove Roles: ${removed}`, number);
    return true;
  }

  #conditionOf(who: string, roles: string, number: number): ProposedCondition | null {
    const verified = /^People who have (not )?verified their Roblox account$/i.exec(who);
    if (verified !== null) return { type: verified[1] === undefined ? 'verified' : 'unverified' };
    if (/^All users in this group$/i.test(who) && /^matching their group rank name\b/i.test(roles)) {
      return this.#inGroup(number, (groupId) => ({ type: 'group_roles', groupId, match: 'name' }));
    }
    return this.#ranksOf(who, number);
  }

  /** `Rank Officer (100):`, with its roles in this line or the next. */
  #readWho(line: string, number: number): void {
    this.#dropOpen();
    const [who = '', roles] = line.split(/ (?=Role(?:\(s\)|s)?: )/, 2);
    const condition = this.#ranksOf(who, number);
    if (condition === null) return;
    this.#open = { line: number, condition, mayBeHeading: idAtEnd(line) > 0 };
    if (roles !== undefined) this.#readRoles(roles, number);
  }

  #ranksOf(who: string, number: number): Condition | null {
    for (const [form, rangeOf] of whoForms) {
      const found = form.exec(who);
      if (found === null) continue;
      const [from = 0, to = 0] = found
        .slice(1)
        .filter((part) => part !== undefined)
        .map(Number);
      if (Math.max(from, to) > highestRank) continue;
      const [min, max] = rangeOf(from, to);
      return this.#inGroup(number, (groupId) =>
        max === 0 ? { type: 'not', of: { type: 'group_member', groupId } } : rankRange(groupId, min, max),
      );
    }
    this.#refuse(number, t('import_line.no_bind', { bot: 'Bloxlink' }));
    return null;
  }

  #inGroup<C>(number: number, make: (groupId: string) => C): C | null {
    if (this.#groupId !== undefined) return make(this.#groupId);
    const hiding = this.#lostAt;
    this.#parsed.refuse(
      number,
      hiding === undefined ? t('import_line.no_group') : t('import_line.hidden_group', { hiding }),
    );
    return null;
  }

  #dropOpen(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    this.#parsed.refuse(open.line, t('import_line.no_roles'));
    if (open.mayBeHeading) this.#leaveGroup(open.line);
  }
}

const highestRank = 255;

/** The number in brackets at the end of a line; 0 for none. */
const idAtEnd = (line: string): number => Number(/\((\d+)\)$/.exec(line)?.[1] ?? 0);

/** The id in `Builders (12345)`; null for any other line. A number up to 255 may be a rank: then the words decide. */
function groupHeading(line: string): string | null {
  const [, name = '', groupId] = /^(?:Group:? )?(.*?) ?\((\d+)\)$/.exec(line) ?? [];
  if (groupId === undefined) return null;
  const mayBeRank = name === '' || /^(?:Ranks? |People (?:with|who) )/.test(name);
  return mayBeRank && Number(groupId) <= highestRank ? null : groupId;
}

/** Roles are consecutive mentions; a name may hold commas itself. */
const rolesIn = (text: string): string[] =>
  text.split(/,\s*(?=@|<@&|\d{17,20}\b)/).flatMap((role) => role.trim() || []);
