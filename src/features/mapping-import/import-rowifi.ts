import { t } from '../../lib/translate.js';
import type { ItemKind } from '../../platforms/roblox/game-inventory.js';
import type { Condition } from '../mappings/condition.js';
import { conditionOfRanks, ParsedImport, withRanks } from './import-proposal.js';

// RoWifi lists each kind's binds separately (/rankbinds, /groupbinds, /assetbinds, /custombinds). A list has a title, a
// line with the page (`Group 12345 | Page 1` for ranks), and per bind its target (`Rank: 20`, `Group: 12345`, `ID:
// 99`), a template, a priority, and `Roles:` with adjoining mentions.

type Kind = 'rankbinds' | 'groupbinds' | 'assetbinds' | 'custombinds';

const itemKinds: Readonly<Record<string, ItemKind>> = { asset: 'asset', badge: 'badge', gamepass: 'game_pass' };

/** A bind's target, in its first line. */
const beginnings: readonly [Kind, RegExp][] = [
  ['rankbinds', /^Rank(?: Id)?: (\d{1,3})$/i],
  ['groupbinds', /^Group(?: Id)?: (\d+)$/i],
  ['assetbinds', /^Id: (\d+)$/i],
  ['custombinds', /^(?:Bind )?Id: (\d+)$/i],
];

/** Lines without influence on recipients and roles, and Discord's additions to a copied message. */
const ornament = /^(?:Priority: .*|Code: .*|RoWifi\b.*|APP|BOT|— .*)?$/i;

const noRoles = (): string => t('import_line.no_roles');

export function parseRowifi(text: string): ParsedImport {
  const reader = new RowifiReader();
  for (const [index, line] of text.split(/\r?\n/).entries()) reader.read(plain(line), index + 1);
  return reader.end();
}

const plain = (line: string): string =>
  line
    .replaceAll(/\*\*|`/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

interface OpenBind {
  line: number;
  id: string;
  itemKind?: ItemKind;
}

class RowifiReader {
  readonly #parsed = new ParsedImport();
  /** Absent before the first title, and after a line that was not understood. */
  #kind: Kind | undefined;
  #groupId: string | undefined;
  #open: OpenBind | undefined;

  read(line: string, number: number): void {
    if (ornament.test(line) || this.#readNickname(line, number)) return;
    if (this.#readTitle(line) || this.#readBeginning(line, number) || this.#readPart(line)) return;
    this.#dropOpen();
    this.#parsed.refuse(number, t('import_line.no_bind', { bot: 'RoWifi' }));
    this.#kind = undefined;
  }

  end(): ParsedImport {
    this.#dropOpen();
    return this.#parsed;
  }

  #readNickname(line: string, number: number): boolean {
    if (!/^(?:Template|Prefix):/i.test(line)) return false;
    const message = 'the nickname is left out: a mapping has its own, by /mapping edit';
    if (this.#open !== undefined) this.#parsed.notes.push({ line: number, code: 'left_out', message });
    return true;
  }

  #readTitle(line: string): boolean {
    const [, kind] = /^(Rank|Group|Asset|Custom)binds$/i.exec(line) ?? [];
    const [, groupId, page] = /^(?:Group (\d+) \| )?(Page \d+)$/.exec(line) ?? [];
    if (kind === undefined && page === undefined) return false;
    this.#dropOpen();
    // Only rank binds have a group above them.
    if (groupId !== undefined) this.#kind = 'rankbinds';
    else if (kind !== undefined) this.#kind = kindOf(kind);
    this.#groupId = groupId;
    return true;
  }

  #readBeginning(line: string, number: number): boolean {
    for (const [kind, form] of beginnings) {
      const [, id] = form.exec(line) ?? [];
      if (id === undefined || (this.#kind !== undefined && this.#kind !== kind)) continue;
      this.#dropOpen();
      if (this.#kind === undefined) this.#parsed.refuse(number, t('import_line.no_kind'));
      else this.#open = { line: number, id };
      return true;
    }
    return false;
  }

  #readPart(line: string): boolean {
    const [, type] = /^Type: (\w+)$/i.exec(line) ?? [];
    const [, roles] = /^Roles?: ?(.*)$/i.exec(line) ?? [];
    // A refused bind's line.
    if (this.#kind === undefined && (type ?? roles) !== undefined) return true;
    if (this.#open === undefined) return false;
    if (type !== undefined) {
      const itemKind = itemKinds[type.toLowerCase()];
      if (itemKind !== undefined) this.#open.itemKind = itemKind;
      return itemKind !== undefined;
    }
    if (roles === undefined) return false;
    this.#propose(this.#open, roles);
    this.#open = undefined;
    return true;
  }

  #propose(open: OpenBind, roles: string): void {
    const condition = this.#conditionOf(open);
    const names = rolesIn(roles);
    if (names.length === 0) this.#parsed.refuse(open.line, noRoles());
    else if (typeof condition === 'string') this.#parsed.refuse(open.line, condition, 'unsupported');
    else this.#parsed.propose(open.line, condition, names);
  }

  #conditionOf({ id, itemKind }: OpenBind): Condition | string {
    switch (this.#kind) {
      case 'rankbinds':
        return rankOf(this.#groupId, Number(id));
      case 'groupbinds':
        return { type: 'group_member', groupId: id };
      case 'assetbinds':
        return itemKind === undefined ? t('import_line.no_item_type') : { type: 'owns_item', kind: itemKind, id };
      default:
        return t('import_line.by_code');
    }
  }

  #dropOpen(): void {
    if (this.#open !== undefined) this.#parsed.refuse(this.#open.line, noRoles());
    this.#open = undefined;
  }
}

function rankOf(groupId: string | undefined, rank: number): Condition | string {
  if (groupId === undefined) return 'no line above names the group: put it there, as in "Group 12345 | Page 1"';
  return (
    (rank > 255 ? null : conditionOfRanks(groupId, withRanks(rank, rank))) ??
    `${rank} is no rank: they go from 0 to 255`
  );
}

const kindOf = (title: string): Kind | undefined =>
  beginnings.map(([kind]) => kind).find((kind) => kind === `${title.toLowerCase()}binds`);

/** Mentions follow each other without a separator. */
const rolesIn = (text: string): string[] =>
  (text.match(mentions) ?? []).flatMap((role) => withoutSeparators(role) || []);

/** Each mention with its name, and the text before the first. */
const mentions = /^(?:[^@<]|<(?!@&)@?)+|(?:<@&|@)(?:[^@<]|<(?!@&)@?)*/g;

/** In one pass from the end: a pattern would try every space in a thousand. */
function withoutSeparators(role: string): string {
  let end = role.length;
  while (end > 0 && ' ,'.includes(role.charAt(end - 1))) end -= 1;
  return role.slice(0, end).trim();
}
