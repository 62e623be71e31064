import { createHash } from 'node:crypto';
import { fillText } from '../../../lib/fill-text.js';
import { Markup, markup } from '../../../lib/html.js';
import { currentLocale, type TextKey, t } from '../../../lib/translate.js';
import { pageStyle } from './page-style.js';

/** Our one inline style sheet's hash, for the Content-Security-Policy. */
export const styleHash = `'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'`;

/** A card with one action or message, a text, or a reference with a table of contents. */
type Layout = 'card' | 'text' | 'reference';

/**
 * The text named `key` in the running code's language, with its values filled in: markup unchanged, all others escaped.
 */
export function pageText(key: TextKey, values: Readonly<Record<string, unknown>> = {}): Markup {
  const sources = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : markup`${value}`.source,
  ]);
  return new Markup(fillText(markup`${t(key)}`.source, Object.fromEntries(sources), currentLocale()));
}

/** A complete page in plain HTML, without scripts, for phones and screen readers, in the running code's language. */
export function page(title: string, content: Markup, layout: Layout = 'card'): string {
  return markup`<!doctype html>
<html lang="${currentLocale()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Rolelink</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${new Markup(pageStyle)}</style>
</head>
<body class="${layout}">
<header><a class="brand" href="/"><img src="/favicon.svg" alt="" width="28" height="28"> Rolelink</a></header>
<main><h1>${title}</h1>
${content}
</main>
<footer><a href="/docs">API</a> <a href="/privacy">${t('page.privacy')}</a></footer>
</body>
</html>
`.source;
}
