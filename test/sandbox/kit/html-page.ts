import { type Html, html } from './html.js';

/** A whole page: plain, readable without its own stylesheet, fit for a phone. */
export function htmlPage(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <style>
      :root { color-scheme: light dark; }
      body { font: 1rem/1.5 system-ui, sans-serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
      label, input, textarea, select { display: block; font: inherit; }
      input, textarea, select { width: 100%; box-sizing: border-box; margin-bottom: 0.75rem; padding: 0.4rem; }
      button { font: inherit; padding: 0.4rem 1rem; margin-right: 0.5rem; }
      table { border-collapse: collapse; width: 100%; }
      th, td { text-align: left; padding: 0.25rem 0.75rem 0.25rem 0; vertical-align: top; }
    </style>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      ${content}
    </main>
  </body>
</html>
`.markup;
}
