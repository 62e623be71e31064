/** The text of a Luau module for a plain Lua: without its types, and with the same lines. */
export function plainLuaOf(luau: string): string {
  return luau
    .replaceAll(/^export type \w+ = \{\n[^}]*(?:\{[^}]*\}[^}]*)*^\}$/gm, (block) => block.replaceAll(/[^\n]/g, ''))
    .replaceAll(/^export type .*$/gm, '')
    .replaceAll(
      /^function ([\w.:]+)\((.*)$/gm,
      (_, name: string, rest: string) => `function ${name}(${namesOf(rest)})`,
    );
}

/** The parameters' names in the rest of a function's first line. */
function namesOf(rest: string): string {
  const parts = [''];
  let depth = 0;
  for (const char of rest) {
    if (char === ')' && depth === 0) break;
    if ('({'.includes(char)) depth += 1;
    if (')}'.includes(char)) depth -= 1;
    if (char === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.split(':')[0]?.trim()).join(', ');
}
