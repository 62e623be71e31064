import type { MantineThemeOverride } from '@mantine/core';

/**
 * How the pages look. Its variables stand in theme.css, which `npm run generate` writes: Mantine would put them into a
 * `<style>`, which the Content-Security-Policy forbids. White on the eighth shade has the contrast of WCAG AA.
 */
export const theme = {
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1.125rem', lineHeight: '1.4' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
    },
  },
  components: {
    // Mantine's scroll lock writes a `<style>`; a rule of frame.css does the same.
    Modal: { defaultProps: { lockScroll: false, centered: true } },
    Drawer: { defaultProps: { lockScroll: false } },
  },
} satisfies MantineThemeOverride;
