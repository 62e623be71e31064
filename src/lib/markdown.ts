import { type Markup, markup } from './html.js';

type Kind = 'heading' | 'item' | 'numbered' | 'row' | 'text';
interface Block {
  kind: Kind;
  lines: string[];
}

const kinds: readonly (readonly [Kind, RegExp])[] = [
  ['heading', /^#{1,6}\s+/],
  ['item', /^\s*[-*+]\s+/],
  ['numbered', /^\s*\d{1,4}[.)]\s+/],
  ['row', /^\s*\|/],
];

/**
 * Renders the subset of Markdown needed for legal texts: headings, paragraphs, lists, tables, bold, italics, code, and
 * web and e-mail links. HTML is shown as text. The first top-level heading is the title.
 */
export function readMarkdown(text: string, untitled: string): { title: string; content: Markup } {
  const blocks = blocksOf(text);
  const first = blocks.findIndex(({ lines }) => /^#\s/.test(lines[0] ?? ''));
  const [heading] = first < 0 ? [] : blocks.splice(first, 1);
  const title = heading?.lines[0]?.replace(/^#\s+/, '') ?? untitled;
  return { title, content: markup`${blocks.map(show)}` };
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open = false;
  for (const line of text.split(/\r?\n/)) {
    const [kind] = kinds.find(([, pattern]) => pattern.test(line)) ?? ['text' as const];
    const last = blocks.at(-1);
    if (line.trim() === '') open = false;
    else if (kind === 'text' && open && last && last.kind !== 'heading' && last.kind !== 'row') {
      last.lines.push(`${last.lines.pop()} ${line.trim()}`);
    } else {
      if (last?.kind === kind && (kind === 'item' || kind === 'numbered' || (kind === 'row' && open)))
        last.lines.push(line);
      else blocks.push({ kind, lines: [line.trim()] });
      open = true;
    }
  }
  return blocks;
}

function show({ kind, lines }: Block): Markup {
  const [line = ''] = lines;
  switch (kind) {
    case 'heading':
      return line.startsWith('###')
        ? markup`<h3>${inline(withoutMark(line))}</h3>`
        : markup`<h2>${inline(withoutMark(line))}</h2>`;
    case 'item':
      return markup`<ul>${lines.map((item) => markup`<li>${inline(withoutMark(item))}</li>`)}</ul>`;
    case 'numbered':
      return markup`<ol>${lines.map((item) => markup`<li>${inline(withoutMark(item))}</li>`)}</ol>`;
    case 'row':
      return showTable(lines);
    case 'text':
      return markup`<p>${inline(line)}</p>`;
  }
}

const withoutMark = (line: string): string => line.replace(/^\s*(?:#{1,6}|[-*+]|\d{1,4}[.)])\s+/, '');

function showTable(lines: readonly string[]): Markup {
  const [head = [], ...rows] = lines
    .filter((line) => !/^[|\s:-]+$/.test(line))
    .map((line) =>
      line
        .trim()
        .replace(/^\||\|$/g, '')
        .split('|'),
    );
  const cells = (row: readonly string[]) => row.map((cell) => markup`<td>${inline(cell.trim())}</td>`);
  return markup`<table><thead><tr>${head.map((cell) => markup`<th>${inline(cell.trim())}</th>`)}</tr></thead>
<tbody>${rows.map((row) => markup`<tr>${cells(row)}</tr>`)}</tbody></table>`;
}

const marks =
  /`([^`]{1,500})`|\*\*([^*]{1,500})\*\*|\*([^*]{1,500})\*|\[([^\]]{1,500})\]\(([^()\s]{1,500})\)|<((?:https?:\/\/|mailto:)[^<>\s]{1,500})>/g;

function inline(text: string): Markup {
  const shown: unknown[] = [];
  let at = 0;
  for (const match of text.matchAll(marks)) {
    const [whole, code, bold, italic, label, target = '', address] = match;
    shown.push(text.slice(at, match.index));
    at = match.index + whole.length;
    if (code !== undefined) shown.push(markup`<code>${code}</code>`);
    else if (bold !== undefined) shown.push(markup`<strong>${inline(bold)}</strong>`);
    else if (italic !== undefined) shown.push(markup`<em>${inline(italic)}</em>`);
    else shown.push(link(label ?? address ?? '', label === undefined ? (address ?? '') : target));
  }
  return markup`${[...shown, text.slice(at)]}`;
}

/** A link without a web target, for example to a neighbouring file, becomes plain text. */
function link(label: string, target: string): Markup {
  return /^(?:https?:\/\/|mailto:)/i.test(target) ? markup`<a href="${target}">${label}</a>` : markup`${label}`;
}
