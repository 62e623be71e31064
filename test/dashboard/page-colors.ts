import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import { theme } from '../../src/dashboard/theme.js';
import { root } from '../structure/source-files.js';

/** The dashboard's variables that the service's pages use, each with their own name. */
const taken: Readonly<Record<string, string>> = {
  text: '--mantine-color-text',
  quiet: '--mantine-color-dimmed',
  back: '--mantine-color-body',
  surface: '--surface',
  line: '--line',
  hover: '--hover',
  link: '--mantine-color-anchor',
  act: '--mantine-primary-color-filled',
  'act-hover': '--mantine-primary-color-filled-hover',
  focus: '--mantine-color-brand-5',
  take: '--take',
  'take-tint': '--take-tint',
  font: '--mantine-font-family',
  mono: '--mantine-font-family-monospace',
};

/** The dashboard's colours and letters for pages without its style sheets: `src/edges/http/pages/page-colors.json`. */
export function pageColors(): string {
  const resolved = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme));
  const schemes = (['light', 'dark'] as const).map((scheme) => {
    const known = { ...resolved.variables, ...resolved[scheme], ...ownVariables(scheme) };
    return [
      scheme,
      Object.fromEntries(Object.entries(taken).map(([name, from]) => [name, resolvedValue(from, known)])),
    ];
  });
  return `${JSON.stringify({ ...Object.fromEntries(schemes), faces: faces() }, null, 2)}\n`;
}

/** fonts.css's letters, under the addresses that the build gives them, each face on one line. */
function faces(): string {
  const sheet = readFileSync(join(root, 'src/dashboard/frame/fonts.css'), 'utf8');
  const own = sheet.replaceAll(/url\("@[^"]*\/([\w-]+\.woff2)"\)/g, 'url("/fonts/$1")');
  return [...own.matchAll(/@font-face \{[^}]*\}/g)].map(([face]) => face.replaceAll(/\s+/g, ' ')).join('\n');
}

/** The variables that base.css sets for a scheme. */
function ownVariables(scheme: string): Record<string, string> {
  const sheet = readFileSync(join(root, 'src/dashboard/frame/base.css'), 'utf8');
  const [, block = ''] = new RegExp(`:root\\[data-mantine-color-scheme="${scheme}"\\] \\{([^}]*)\\}`).exec(sheet) ?? [];
  return Object.fromEntries([...block.matchAll(/(--[\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value]));
}

/** A variable's value, with those that it is made from put in. */
function resolvedValue(name: string, known: Readonly<Record<string, string>>): string {
  const value = known[name];
  if (value === undefined) throw new Error(`The dashboard's style sheets have no ${name}.`);
  return value.replaceAll(/var\((--[\w-]+)\)/g, (_, inner: string) => resolvedValue(inner, known));
}
