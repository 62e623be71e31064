import { createHash } from 'node:crypto';
import { Markup, markup } from '../../lib/html.js';

const style = `
:root { color-scheme: light dark; font: 1.05rem/1.5 system-ui, sans-serif; }
body { max-width: 34rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { font-size: 1.5rem; }
button, .button { display: inline-block; font: inherit; padding: .7rem 1.2rem; border: 0; border-radius: .5rem;
  background: #4752c4; color: #fff; text-decoration: none; cursor: pointer; }
button.plain { background: #5c5f66; }
:focus-visible { outline: 3px solid #f0a020; outline-offset: 2px; }
input { font: inherit; padding: .6rem; width: 100%; box-sizing: border-box; }
label { display: block; margin: 1rem 0 .3rem; }
form { margin: 1rem 0; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid; }
.phrase { font-size: 1.25rem; font-weight: 600; padding: 1rem; border: 2px solid; border-radius: .5rem; overflow-wrap: anywhere; }
.notice { border-left: .4rem solid #b3261e; padding: .5rem 1rem; }
`;

/** The hash of our one inline style sheet, for the Content-Security-Policy. */
export const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

/** A whole page: plain HTML that works without scripts, on a phone and with a screen reader. */
export function page(title: string, content: Markup): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Rolelink</title>
<style>${new Markup(style)}</style>
</head>
<body><main><h1>${title}</h1>
${content}
</main></body>
</html>
`.source;
}
