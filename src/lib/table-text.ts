/** A table row, and the line where it begins, from 1. */
export interface Row {
  line: number;
  cells: string[];
}

/** A quote is missing or misplaced; `line`: where its row begins. */
export class BrokenTable extends Error {
  constructor(readonly line: number) {
    super(`a quote is missing or misplaced in the row of line ${line}`);
  }
}

const blanks = ' \t';
const bent = '“”„';
const marks = [',', ';', '\t'] as const;
/** A spreadsheet may name its separator in a line above the table. */
const separatorLine = /^"?sep=([,;\t])"?[ \t]*(?:\r\n?|\n|$)/i;

/**
 * A CSV text's rows (RFC 4180), one after another, without empty ones; cells are trimmed. Commas, semicolons and tabs
 * all separate cells, or with `byHeader` only the first line's named or most frequent one. Quotes may be typographic.
 * The time grows only with the length that is read. Throws BrokenTable.
 */
export function* rowsOf(given: string, { byHeader }: { byHeader: boolean }): Generator<Row> {
  const text = given.replace(/^\uFEFF/, '');
  const [above = '', said] = separatorLine.exec(text) ?? [];
  const separators = byHeader ? (said ?? mostFrequent(/[^\r\n]*/.exec(text)?.[0] ?? '')) : marks.join('');
  const reader = new TableReader(text, separators, above.length, above === '' ? 1 : 2);
  for (let row = reader.next(); row !== undefined; row = reader.next()) {
    if (row.cells.some((cell) => cell !== '')) yield row;
  }
}

/** Separators inside quotes belong to a cell. */
function mostFrequent(header: string): string {
  const bare = header.replaceAll(/"[^"]*"/g, '');
  return marks.reduce((best, mark) => (bare.split(mark).length > bare.split(best).length ? mark : best));
}

class TableReader {
  readonly #space: RegExp;
  readonly #plain: RegExp;
  readonly #end: RegExp;
  readonly #typographic: RegExp;
  #at: number;
  #line: number;

  constructor(
    readonly text: string,
    separators: string,
    at: number,
    line: number,
  ) {
    this.#at = at;
    this.#line = line;
    this.#space = separators.includes('\t') ? / */y : /[ \t]*/y;
    this.#plain = new RegExp(`[^"\\r\\n${separators}]*`, 'y');
    this.#end = new RegExp(`[${separators}]|\\r\\n?|\\n|$`, 'y');
    this.#typographic = new RegExp(`[“”„]([^“”„"]*)[“”](?= *(?:[${separators}\\r\\n]|$))`, 'y');
  }

  /** The next row; undefined at the end. */
  next(): Row | undefined {
    if (this.#at >= this.text.length) return undefined;
    const row: Row = { line: this.#line, cells: [] };
    for (;;) {
      row.cells.push(this.#cell(row.line));
      const end = this.#take(this.#end);
      if (end === undefined) throw new BrokenTable(row.line);
      if (end === '' || end.startsWith('\r') || end === '\n') {
        this.#line += 1;
        return row;
      }
    }
  }

  #cell(line: number): string {
    if (blanks.includes(this.text.charAt(this.#at))) this.#take(this.#space);
    const first = this.text.charAt(this.#at);
    const inside = first === '"' ? this.#quoted(line) : bent.includes(first) ? this.#bentQuoted() : undefined;
    if (inside === undefined) return (this.#take(this.#plain) ?? '').trim();
    this.#take(this.#space);
    this.#line += inside.match(/\r\n?|\n/g)?.length ?? 0;
    return inside.trim();
  }

  /** The content between straight quotes; inside, two stand for one. */
  #quoted(line: number): string {
    const parts: string[] = [];
    for (let from = this.#at + 1; ; ) {
      const to = this.text.indexOf('"', from);
      if (to === -1) throw new BrokenTable(line);
      parts.push(this.text.slice(from, to));
      this.#at = to + 1;
      if (this.text[to + 1] !== '"') return parts.join('"');
      from = to + 2;
    }
  }

  /** The content between typographic quotes around a whole cell; undefined for another cell. */
  #bentQuoted(): string | undefined {
    this.#typographic.lastIndex = this.#at;
    const found = this.#typographic.exec(this.text);
    if (found === null) return undefined;
    this.#at = this.#typographic.lastIndex;
    return found[1] ?? '';
  }

  /** The value that stands here; undefined if it doesn't fit. */
  #take(form: RegExp): string | undefined {
    form.lastIndex = this.#at;
    const found = form.exec(this.text);
    if (found === null) return undefined;
    this.#at = form.lastIndex;
    return found[0];
  }
}
