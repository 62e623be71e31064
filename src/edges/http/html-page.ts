import { createHash } from 'node:crypto';
import { Markup, markup } from '../../lib/html.js';
import { pageStyle } from './page-style.js';

/** The hash of our one inline style sheet, for the Content-Security-Policy. */
export const styleHash = `'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'`;

/** One thing to do or to know in a card, a text to read, or a reference beside its contents. */
type Layout = 'card' | 'text' | 'reference';

/** A whole page: plain HTML that works without scripts, on a phone and with a screen reader. */
export function page(title: string, content: Markup, layout: Layout = 'card'): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Rolelink</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${new Markup(pageStyle)}</style>
</head>
<body class="${layout}">
<header><a class="brand" href="/">Rolelink</a></header>
<main><h1>${title}</h1>
${content}
</main>
<footer><a href="/docs">API</a> <a href="/privacy">Privacy</a></footer>
</body>
</html>
`.source;
}
