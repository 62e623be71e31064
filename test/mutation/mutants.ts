import { parseAst } from 'vite';

/** A code change that a test should notice. */
export interface Mutant {
  id: number;
  /** Offset in the compiled file. */
  start: number;
  from: string;
  to: string;
}

/** A file in which each mutant is there and switched off: `__mutant(id)` says whether it is on. */
export interface MutatedFile {
  code: string;
  mutants: Mutant[];
}

/** A node in the parser's tree. */
interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value;

/** An operator's replacements: its edge, and its opposite. */
const operators = new Map<unknown, readonly string[]>(
  Object.entries({
    '<': ['<=', '>='],
    '<=': ['<', '>'],
    '>': ['>=', '<='],
    '>=': ['>', '<'],
    '===': ['!=='],
    '!==': ['==='],
    '+': ['-'],
    '-': ['+'],
    '*': ['/'],
    '/': ['*'],
    '**': ['*'],
    '&': ['|'],
    '|': ['&'],
    '&&': ['||'],
    '||': ['&&'],
    '??': ['&&'],
  }),
);

/** A method's replacement; null leaves the call out. */
const methods = new Map<unknown, string | null>(
  Object.entries({
    some: 'every',
    every: 'some',
    min: 'max',
    max: 'min',
    find: 'findLast',
    findLast: 'find',
    startsWith: 'endsWith',
    filter: null,
    sort: null,
    slice: null,
    trim: null,
    replace: null,
    replaceAll: null,
  }),
);

/** Calls with describing texts that decide nothing. */
const describing = /^(describe|meta|error|index)$/;

/** All mutants in a compiled file, within these functions where some are named. Ids begin at `firstId`. */
export function mutate(code: string, firstId: number, within?: readonly string[]): MutatedFile {
  const mutants: Mutant[] = [];
  const found = new Map<number, { node: Node; of: Mutant[] }[]>();
  const add = (node: Node, to: string): void => {
    const mutant = { id: firstId + mutants.length, start: node.start, from: code.slice(node.start, node.end), to };
    mutants.push(mutant);
    const here = found.get(node.start) ?? [];
    const known = here.find((one) => one.node === node);
    if (known) known.of.push(mutant);
    else found.set(node.start, [...here, { node, of: [mutant] }]);
  };
  const visit = (node: Node, inside: boolean): void => {
    const isIn = inside || (nameOf(node) !== undefined && (within ?? []).includes(nameOf(node) ?? ''));
    if (isLeftOut(node)) return;
    if (isIn) for (const to of replacementsOf(node, code)) add(node, to);
    for (const [field, child] of childrenOf(node)) if (!isLeftOutAt(node, field, child)) visit(child, isIn);
  };
  visit(parseAst(code) as unknown as Node, within === undefined);
  return { code: render(code, found), mutants };
}

function nameOf({ type, id, key }: Node): string | undefined {
  if (type !== 'FunctionDeclaration' && type !== 'MethodDefinition' && type !== 'VariableDeclarator') return undefined;
  const named = isNode(id) ? id : key;
  return isNode(named) && typeof named.name === 'string' ? named.name : undefined;
}

/** Its children, with the field that each stands in. */
function childrenOf(node: Node): [string, Node][] {
  return Object.entries(node).flatMap(([field, value]) =>
    (Array.isArray(value) ? value : [value]).filter(isNode).map((child): [string, Node] => [field, child]),
  );
}

/** Whether a node is left out: an import, or an error, since no program reads its words. */
function isLeftOut(node: Node): boolean {
  if (node.type === 'ImportDeclaration' || node.type === 'ThrowStatement') return true;
  return node.type === 'CallExpression' && describing.test(methodOf(node) ?? '');
}

/** Whether a place is left out: a key, an assignment's target, a template part, or a text for a constructor. */
function isLeftOutAt({ type, computed }: Node, field: string, { type: child }: Node): boolean {
  if ((field === 'key' || field === 'property') && computed !== true) return true;
  if (field === 'left' && type.startsWith('Assignment')) return true;
  if (field === 'params' || field === 'quasi' || field === 'quasis' || field === 'directive') return true;
  if (type === 'ExpressionStatement' && child === 'Literal') return true;
  return type === 'NewExpression' && (child === 'Literal' || child === 'TemplateLiteral');
}

const isPart = (node: unknown): node is Node => isNode(node);
const methodOf = ({ callee }: Node): string | undefined => {
  if (!isPart(callee) || callee.type !== 'MemberExpression' || !isPart(callee.property)) return undefined;
  return typeof callee.property.name === 'string' ? callee.property.name : undefined;
};

function replacementsOf(node: Node, code: string): string[] {
  const text = (part: unknown): string => (isPart(part) ? code.slice(part.start, part.end) : '');
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return (operators.get(node.operator) ?? []).map((to) => `(${text(node.left)}) ${to} (${text(node.right)})`);
    case 'UnaryExpression':
      return node.operator === '!' ? [text(node.argument)] : [];
    case 'IfStatement':
      return ['true', 'false'].map((test) => withTest(node, text, test));
    case 'ConditionalExpression':
      return [text(node.consequent), text(node.alternate)];
    case 'ExpressionStatement':
      return isPart(node.expression) && /^(Call|Await)Expression$/.test(node.expression.type) ? [';'] : [];
    case 'Literal':
      return literal(node.value);
    case 'TemplateLiteral':
      return ["''"];
    case 'ArrayExpression':
      return Array.isArray(node.elements) && node.elements.length > 0 ? ['[]'] : [];
    case 'CallExpression':
      return callWithout(node, text);
    default:
      return [];
  }
}

function withTest(node: Node, text: (part: unknown) => string, test: string): string {
  const otherwise = isPart(node.alternate) ? ` else ${text(node.alternate)}` : '';
  return `if (${test}) ${text(node.consequent)}${otherwise}`;
}

function literal(value: unknown): string[] {
  if (typeof value === 'boolean') return [String(!value)];
  if (typeof value === 'number') return [String(value + 1)];
  if (typeof value === 'bigint') return [`${value + 1n}n`];
  return typeof value === 'string' ? [value === '' ? "'mutant'" : "''"] : [];
}

function callWithout(node: Node, text: (part: unknown) => string): string[] {
  const name = methodOf(node);
  const to = methods.get(name);
  const { callee } = node;
  if (to === undefined || !isPart(callee) || callee.optional === true) return [];
  const args = (Array.isArray(node.arguments) ? node.arguments : []).map(text).join(', ');
  return [to === null ? text(callee.object) : `${text(callee.object)}.${to}(${args})`];
}

/** The code with a switch at each place: inner places stay switched where the outer one is off. */
function render(code: string, found: ReadonlyMap<number, { node: Node; of: Mutant[] }[]>): string {
  const places = [...found.values()].flat().sort((a, b) => a.node.start - b.node.start || b.node.end - a.node.end);
  let next = 0;
  const piece = (start: number, end: number): string => {
    let text = '';
    let at = start;
    for (let place = places[next]; place !== undefined && place.node.start < end; place = places[next]) {
      next += 1;
      text +=
        code.slice(at, place.node.start) + switched(place.node, place.of, piece(place.node.start, place.node.end));
      at = place.node.end;
    }
    return text + code.slice(at, end);
  };
  return piece(0, code.length);
}

function switched({ type }: Node, of: readonly Mutant[], original: string): string {
  if (!type.endsWith('Statement'))
    return `(${of.map(({ id, to }) => `__mutant(${id}) ? (${to}) : `).join('')}${original})`;
  return `{ ${of.map(({ id, to }) => `if (__mutant(${id})) { ${to} } else `).join('')}{ ${original} } }`;
}
