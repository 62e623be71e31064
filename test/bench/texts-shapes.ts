import { issuesOf } from '../../src/edges/http/request-input.js';
import { guildConfig } from '../../src/features/configuration/config-document.js';
import { parseBloxlink } from '../../src/features/mapping-import/import-bloxlink.js';
import { parseCsv } from '../../src/features/mapping-import/import-csv.js';
import { parseRover } from '../../src/features/mapping-import/import-rover.js';
import { parseRowifi } from '../../src/features/mapping-import/import-rowifi.js';
import { pairsOf, peopleImportBody } from '../../src/features/people-import/people-list.js';
import { InvalidRequest } from '../../src/lib/errors.js';
import { boundedText } from '../../src/lib/given-text.js';
import { readYaml } from '../../src/lib/yaml-text.js';

/** A reader, and a text for it in at most this many bytes. */
export interface Shape {
  name: string;
  read: (text: string) => unknown;
  text: (bytes: number) => string;
}

const repeated = (unit: string) => (bytes: number) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));
const after = (first: string, unit: string) => (bytes: number) => first + repeated(unit)(bytes - first.length);

/** As many items as fit, joined by `between`. */
const listed = (item: (index: number) => string, between: string) => (bytes: number) =>
  Array.from({ length: Math.floor(bytes / (item(1_000).length + between.length)) }, (_, index) => item(index)).join(
    between,
  );

const person = (index: number): string => String(100_000_000_000_000_000n + BigInt(index));
const jsonPair = (index: number): string => `{"chatUserId":"${person(index)}","gameUserId":"${index + 1_000}"}`;
const inPeople =
  (items: Shape['text']): Shape['text'] =>
  (bytes: number) =>
    `{"people":[${items(bytes - 20)}]}`;

function readBodyOf(schema: typeof peopleImportBody | typeof guildConfig) {
  return (text: string) => {
    const issues = issuesOf(schema.safeParse(JSON.parse(text)), []);
    if (issues.length > 0) throw new InvalidRequest(issues);
  };
}

/** What all others are held against. */
export const ordinary: Shape = {
  name: 'JSON: people',
  read: readBodyOf(peopleImportBody),
  text: inPeople(listed(jsonPair, ',')),
};

const of = (reader: string, read: Shape['read'], texts: Readonly<Record<string, Shape['text']>>): Shape[] =>
  Object.entries(texts).map(([name, text]) => ({ name: `${reader}: ${name}`, read, text }));

/** As the import of mappings hands a text to its reader. */
const bounded = (read: Shape['read']) => (text: string) => read(boundedText(text, 'text', 64 * 1024));

const keys = (item: string) => (bytes: number) => `{${listed((index) => `"k${index}":${item}`, ',')(bytes - 2)}}`;
const header = 'condition,roles\n';
const group = 'Builders (12345)\n';

export const readers: readonly Shape[] = [
  ...of('JSON', readBodyOf(guildConfig), { 'unknown fields': keys('1'), 'unknown lists': keys('[]') }),
  ...of('JSON', readBodyOf(peopleImportBody), {
    'fields of no kind': keys('1'),
    numbers: inPeople(repeated('1,')),
    'people without ids': inPeople(listed(() => '{}', ',')),
  }),
  ...of('YAML', readYaml, {
    keys: listed((index) => ` k${index}: 1`, '\n'),
    people: (bytes) =>
      `people:\n${listed((i) => `  - chatUserId: "${person(i)}"\n    gameUserId: "${i}"`, '\n')(bytes - 8)}`,
    'people in braces': (bytes) => `people: [${listed(jsonPair, ', ')(bytes - 12)}]`,
    entries: repeated('- a\n'),
    'small mappings': repeated('- {a: 1}\n'),
    numbers: (bytes) => `[${repeated('1,')(bytes - 2)}]`,
    'closing brackets': repeated('} } } }\n'),
    'opening brackets': repeated('['),
    dashes: repeated('- '),
    'empty lines': repeated('\n'),
    comments: repeated('# a\n'),
    quotes: repeated('"a" '),
    anchors: repeated('&a '),
    'anchors and aliases': repeated('- &a 1\n- *a\n'),
    documents: repeated('---\n'),
    'block texts': repeated('- |\n'),
    'lines of a text': repeated('a b c d e\n'),
  }),
  ...of('CSV', bounded(parseCsv), {
    rows: after(header, 'verified,@a\n'),
    'rows too short': after(header, '1\n'),
    'rows too long': after(header, 'verified,@a,\n'),
    quotes: after(`${header}"`, '""\n'),
    'broken quotes': after(header, '"a"b'),
    'typographic quotes': after(header, '“'),
    separators: after(header, ','),
    titles: repeated('a,'),
    roles: (bytes) => `${header}verified,"${repeated('a|')(bytes - 30)}"`,
  }),
  ...of('Bloxlink', bounded(parseBloxlink), {
    binds: after(group, 'Rank Officer (100):\nRole(s): @Officer\n'),
    sentences: after(group, 'People with the rank Officer (100) receive the role @Officer\n'),
    'lines of others': repeated('a\n'),
    ranks: repeated(`${'Ranks (1) to '.repeat(300)}\n`),
    recipients: repeated(`${' receive the role '.repeat(220)}\n`),
    underlines: repeated(`${'__a '.repeat(1_000)}\n`),
    'one line of underlines': repeated('__a '),
    hints: repeated(`Use ${'to make a new bind '.repeat(200)})\n`),
  }),
  ...of('RoVer', bounded(parseRover), {
    binds: after('Role Bindings\n', 'Officer <123456789012345678>\nGroup 5\nRanks 1-255\n'),
    groups: after('Officer <123456789012345678>\n', 'Group 5\nRanks 1-255\n'),
    ranges: after('Officer <123456789012345678>\nGroup 5\nRanks ', '1-255, '),
    'lines of others': repeated('a\n'),
    brackets: repeated('<'),
    'binds in JSON': (bytes) => `[${repeated('{"role":"1","group":"5","rank":3,"operator":"gt"},')(bytes - 3)}1]`,
    'numbers in JSON': (bytes) => `[${repeated('1,')(bytes - 3)}1]`,
  }),
  ...of('RoWifi', bounded(parseRowifi), {
    binds: after('Rankbinds\nGroup 12345 | Page 1\n', 'Rank: 20\nRoles: @a@b\n'),
    'lines of others': repeated('a\n'),
    separators: after('Groupbinds\nGroup: 1\nRoles: ', ', '),
    roles: after('Groupbinds\nGroup: 1\nRoles: ', '@'),
  }),
  ...of('People', pairsOf, {
    rows: listed((index) => `${person(index)},${index + 1_000}`, '\n'),
    'rows too short': after('discord,roblox\n', '1\n'),
    'empty rows': after('discord,roblox\n', ',\n'),
    'many columns': after(`${'a,'.repeat(500)}discord,roblox\n`, ',1'),
    'fields of a document': (bytes) => `{${listed((index) => `"f${index}":1`, ',')(bytes - 2)}}`,
    quotes: repeated('"a'),
    'a file of JSON': (bytes) => `[${listed(jsonPair, ',')(bytes - 2)}]`,
    'a file of numbers': (bytes) => `[${repeated('1,')(bytes - 3)}1]`,
  }),
];
