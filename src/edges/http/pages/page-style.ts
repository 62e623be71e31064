import { readFileSync } from 'node:fs';

type Colors = Readonly<Record<string, string>>;

// Generated from the dashboard's theme by `npm run generate`. Read rather than imported: see src/lib/translate.ts.
const file = new URL('./page-colors.json', import.meta.url);
const { light, dark, faces }: Record<'light' | 'dark', Colors> & { faces: string } = JSON.parse(
  readFileSync(file, 'utf8'),
);

const variables = (colors: Colors): string =>
  Object.entries(colors)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(' ');
const onlyDark = Object.fromEntries(Object.entries(dark).filter(([name, value]) => light[name] !== value));

/** The style sheet for the service's own pages: like the dashboard, and light or dark like the system. */
export const pageStyle = `
${faces}
:root { color-scheme: light dark; ${variables(light)} }
@media (prefers-color-scheme: dark) { :root { ${variables(onlyDark)} } }
* { box-sizing: border-box; }
html { font: 1rem/1.55 var(--font); }
body { margin: 0; color: var(--text); background: var(--back); overflow-wrap: anywhere; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
h1, h2 { letter-spacing: -.01em; }
h1, h2, h3, h4 { font-weight: 650; line-height: 1.35; margin: 0 0 .75rem; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.125rem; margin-top: 2rem; }
h3, h4 { font-size: 1rem; margin-top: 1.5rem; }
p, ul, ol, table, pre, form { margin: 0 0 1rem; }
code, pre { font-family: var(--mono); font-size: .875rem; }
body > header, body > footer { max-width: 60rem; margin: 0 auto; padding: .75rem 1rem; }
body > footer { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; font-size: .875rem; }
body > footer a { color: var(--quiet); }
.brand { font-weight: 700; font-size: 1.125rem; line-height: 2.25rem; color: var(--text); text-decoration: none; }
main { max-width: 44rem; margin: 0 auto; padding: 1rem 1rem 3rem; }
.card main { max-width: 34rem; margin: 1rem auto; padding: 1.5rem; border: 1px solid var(--line); border-radius: .5rem;
  background: var(--surface); }
@media (max-width: 36rem) { .card main { margin: 1rem; } }
.card main > :last-child { margin-bottom: 0; }
button, .button { display: inline-block; font: inherit; font-size: .875rem; font-weight: 600; text-align: center; padding: .5rem 1.125rem;
  border: 1px solid transparent; border-radius: .5rem; background: var(--act); color: #fff; text-decoration: none;
  cursor: pointer; }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; }
button:hover, .button:hover { background: var(--act-hover); }
.plain { border-color: var(--line); background: var(--surface); color: var(--text); }
.plain:hover { background: var(--hover); }
input { font: inherit; padding: .4375rem .75rem; width: 100%; color: inherit; border: 1px solid var(--line);
  border-radius: .5rem; background: var(--back); }
input + p { margin-top: .75rem; }
label { display: block; margin: 1rem 0 .25rem; font-size: .875rem; font-weight: 500; }
form { margin: 1rem 0; }
img { border-radius: .5rem; }
.brand img { vertical-align: -.5rem; margin-right: .375rem; }
small, .quiet { font-size: .875rem; color: var(--quiet); }
button + small { display: block; margin-top: .375rem; }
button + small::first-letter { text-transform: uppercase; }
ol { padding-left: 1.5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { overflow-wrap: break-word; text-align: left; vertical-align: top; padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); }
.phrase { font-size: 1.25rem; font-weight: 600; padding: 1rem; border: 1px solid var(--line); border-radius: .5rem;
  background: var(--back); }
.notice { padding: .75rem 1rem; border-left: .25rem solid var(--take); border-radius: .25rem; background: var(--take-tint); }
.reference > header, .reference > footer { max-width: 92rem; }
.reference main { max-width: 92rem; display: grid; grid-template-columns: 17rem minmax(0, 1fr); column-gap: 2.5rem; }
.reference h1, .intro { grid-column: 2; }
.contents { grid-column: 1; grid-row: 1 / 4; position: sticky; top: 0; align-self: start; max-height: 100vh;
  overflow-y: auto; padding: .25rem .75rem 1rem .25rem; font-size: .875rem; }
.contents ul { list-style: none; margin: 0; padding: 0; }
.contents > ul > li > a { display: block; margin-top: .75rem; font-weight: 650; color: var(--text); }
.contents li a { display: block; padding: .125rem 0; text-decoration: none; }
.contents li a:hover { text-decoration: underline; }
.operations { grid-column: 2; min-width: 0; }
.pair { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: .75rem; margin-bottom: 1rem; }
.pair h3 { margin: 0 0 .25rem; font-size: .875rem; font-weight: 500; color: var(--quiet); }
.pair > div { display: grid; grid-template-rows: auto 1fr; }
.pair pre { margin: 0; }
.operations > :first-child h2 { margin-top: 0; padding-top: 0; border: 0; }
.operations h2 { padding-top: 1rem; border-top: 1px solid var(--line); }
article { margin-top: 1.5rem; padding: 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--surface); }
article h3 { margin: 0 0 .5rem; }
article h3 a { color: inherit; text-decoration: none; }
article h3 code:first-child { display: block; color: var(--link); }
article h3 a:hover code:first-child { text-decoration: underline; }
article h4 { font-size: .875rem; margin: 1rem 0 .25rem; }
article > :last-child { margin-bottom: 0; }
.sides { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 1.5rem; align-items: start; }
article th { width: 11rem; font-weight: 400; }
article th, article td { overflow-wrap: anywhere; }
.refusals { font-size: .8125rem; }
.refusals code { font-size: inherit; overflow-wrap: anywhere; }
.guide code { overflow-wrap: anywhere; }
@media (max-width: 48rem) {
  .guide thead { display: none; }
  .guide tr { display: block; padding-block: .375rem; border-bottom: 1px solid var(--line); }
  .guide th, .guide td { display: block; padding: 0; border: 0; }
}
.refusals th, .refusals td { padding-block: .125rem; border: 0; }
article, h2 { scroll-margin-top: .5rem; }
article:target, h2:target { outline: 2px solid var(--focus); outline-offset: 2px; }
pre { padding: .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--back); white-space: pre-wrap; }
summary { cursor: pointer; padding: .25rem 0; font-size: .875rem; }
details { margin: 0 0 .5rem; }
details pre { margin-top: .25rem; }
.note { color: var(--quiet); }
@media (max-width: 80rem) { .sides { display: block; } }
@media (max-width: 60rem) {
  .pair { grid-template-columns: minmax(0, 1fr); }
  .reference main { display: block; }
  .contents { position: static; max-height: none; padding: 0; }
  .contents > ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-bottom: 1rem; }
  .contents > ul > li > a { margin: 0; padding: .25rem 0; color: var(--link); }
  .contents ul ul { display: none; }
  article th { width: 8rem; }
}
`;
