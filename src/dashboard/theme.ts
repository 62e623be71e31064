import type { MantineColorsTuple, MantineThemeOverride } from '@mantine/core';

/** The one accent: the mark's. */
const brand: MantineColorsTuple = [
  '#f2f0ff',
  '#e1deff',
  '#c4bfff',
  '#a69fff',
  '#8c82ff',
  '#7668fb',
  '#6656f0',
  '#5a48dd',
  '#4f3cc9',
  '#4231a8',
];

/** The dark scheme's greys, slightly blue, from text to the deepest background. */
const dark: MantineColorsTuple = [
  '#d8dce8',
  '#b5bbcc',
  '#8b92a8',
  '#666d84',
  '#3a4055',
  '#2d3245',
  '#222636',
  '#181b27',
  '#12151e',
  '#0c0e15',
];

/**
 * The look of the pages. Its variables are in theme.css, which `npm run generate` writes: Mantine would put them into a
 * `<style>`, which the Content-Security-Policy forbids. White on the eighth shade has the contrast that WCAG AA asks
 * for.
 */
export const theme = {
  colors: { brand, dark },
  primaryColor: 'brand',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily:
    'Inter, "Inter Fallback", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1.125rem', lineHeight: '1.4' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
    },
  },
  components: {
    // Without a picture: the initials, on a colour that stays a name's own.
    Avatar: {
      defaultProps: {
        color: 'initials',
        variant: 'filled',
        allowedInitialsColors: ['indigo', 'grape', 'teal.9', 'cyan.9', 'pink', 'violet', 'blue'],
      },
    },
    // Mantine's scroll lock writes a `<style>`; a rule in frame.css does the same.
    Modal: { defaultProps: { lockScroll: false, centered: true } },
    Drawer: { defaultProps: { lockScroll: false } },
  },
} satisfies MantineThemeOverride;
