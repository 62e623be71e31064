import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import { theme } from '../../src/dashboard/theme.js';

type Variables = Record<string, string>;

const head = '/* Made by `npm run generate` of theme.ts: what differs from default-css-variables.css. */\n';

/** The theme's variables as a style sheet: `src/dashboard/theme.css`. */
export function themeSheet(): string {
  const usual = defaultCssVariablesResolver(DEFAULT_THEME);
  const ours = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme));
  const sheet = convertCssVariables({
    variables: difference(ours.variables, usual.variables),
    light: difference(ours.light, usual.light),
    dark: difference(ours.dark, usual.dark),
  });
  return `${head}${sheet.replaceAll(/\s*([{};])\s*/g, '$1\n').trim()}\n`;
}

const difference = (ours: Variables, usual: Variables): Variables =>
  Object.fromEntries(Object.entries(ours).filter(([name, value]) => usual[name] !== value));
