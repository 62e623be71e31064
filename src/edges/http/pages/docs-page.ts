import type { oas31 } from 'zod-openapi';
import { type Markup, markup } from '../../../lib/html.js';
import { withLocale } from '../../../lib/translate.js';
import { allProblemCodes, statusesOf } from '../problem.js';
import { refusalGuide, retries } from '../refusal-guide.js';
import { curlOf } from './docs-curl.js';
import { describeSchema, notesOf } from './docs-schema.js';
import { page } from './html-page.js';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
/** Longer examples are collapsed. */
const longestShown = 30;
/** As many lines from the first answer as the call beside it has room for. */
const mostFields = 6;

interface DocumentedOperation {
  /** `GET /api/guilds`, or an event's name. */
  name: string;
  operation: oas31.OperationObject;
}

interface Resource {
  tag: string;
  description: string | undefined;
  operations: DocumentedOperation[];
}

/** The OpenAPI document's readable form, for `/docs`: contents, one section per resource, one block per endpoint. */
export function docsPage({ info, paths, webhooks, tags = [], components }: oas31.OpenAPIObject): string {
  const operations = operationsOf(paths, (method, path) => `${method.toUpperCase()} ${path}`);
  const events = operationsOf(webhooks, (_, event) => event);
  const resources = tags.map(({ name: tag, description }): Resource => {
    const all = tag === 'events' ? events : operations;
    return { tag, description, operations: all.filter(({ operation }) => operation.tags?.[0] === tag) };
  });
  const schemas = Object.entries(components?.schemas ?? {});
  const content = markup`${contents(resources)}
<div class="intro"><p>${info.description} The same as a file: <a href="/api/openapi.json">OpenAPI 3.1</a>.</p>
<p>Programs send <code>Authorization: Bot &lt;token&gt;</code>; browsers sign in at <code>/api/auth/login</code>. Bodies are
JSON. A refusal is a <a href="#schema-Problem">problem document</a>: go by its <code>code</code>, which
<a href="#refusals">this table</a> explains.</p></div>
<div class="operations">${firstCall(operations)}${resources.map(section)}
${index(operations)}
${refusalTable()}
<section><h2 id="schemas">Schemas</h2>
${schemas.map(([name, schema]) => markup`<article id="schema-${name}"><h3>${name}</h3><pre>${describeSchema(schema)}</pre></article>\n`)}</section></div>`;
  // English, like the document it shows.
  return withLocale('en', () => page('API', content, 'reference'));
}

function operationsOf(
  items: oas31.OpenAPIObject['webhooks'] = {},
  nameOf: (method: string, path: string) => string,
): DocumentedOperation[] {
  return Object.entries(items).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = method in item ? item[method] : undefined;
      return operation === undefined ? [] : [{ name: nameOf(method, path), operation }];
    }),
  );
}

function contents(resources: readonly Resource[]): Markup {
  const operation = ({ name, operation: { operationId } }: DocumentedOperation) =>
    markup`<li><a href="#${operationId}">${shortName(name)}</a></li>`;
  return markup`<nav class="contents" aria-label="Contents"><ul><li><a href="#token">First call</a></li>
<li><a href="#paths">By path</a></li>
${resources.map(
  ({ tag, operations }) =>
    markup`<li><a href="#${tag}">${titleOf(tag)}</a><ul>${operations.map(operation)}</ul></li>\n`,
)}<li><a href="#refusals">Refusals</a></li>
<li><a href="#schemas">Schemas</a></li></ul></nav>`;
}

/** The call that a reader sees first. */
const shownCall = 'GET /api/guilds/{guildId}';

/** A call beside its answer, and the way to a token for it. */
function firstCall(operations: readonly DocumentedOperation[]): Markup {
  const responses = operations.find(({ name }) => name === shownCall)?.operation.responses ?? {};
  return markup`<section><h2 id="token">First call</h2>
<div class="pair"><div><h3>Call</h3><pre>export ROLELINK_URL=https://rolelink.example
export ROLELINK_TOKEN=rlk_…
export GUILD_ID=100000000000000002
curl -i "$ROLELINK_URL/api/guilds/$GUILD_ID" \\
  -H "Authorization: Bot $ROLELINK_TOKEN"</pre></div>
<div><h3>Answer</h3><pre>HTTP/1.1 200 OK
${startOf(exampleOf(responses[200]))}</pre></div></div>
<ol><li><a href="/g">Open the dashboard</a>, choose your server and go to <em>Bot tokens</em>. It takes the role admin.</li>
<li>Press <em>Create a token</em>, name your program and choose the least role it needs. The token is shown once.</li>
<li>Put the token and the ids into your shell, and call. Every operation below has such a line.</li></ol>
<p class="quiet">An operation of a person takes the cookie of their sign-in instead of a token:
<code>ROLELINK_COOKIE="rolelink_session=…"</code>.</p></section>`;
}

/** The document's example for an answer; undefined where it has none. */
function exampleOf(answer: oas31.ResponseObject | oas31.ReferenceObject | undefined): unknown {
  if (answer === undefined || !('content' in answer)) return undefined;
  return answer.content?.['application/json']?.example;
}

/** An object's fields that fit on one line each, and dots for the others. */
function startOf(value: unknown): string {
  const fields = Object.entries(Object(value)).filter(([, field]) => typeof field !== 'object' || field === null);
  const lines = fields
    .slice(0, mostFields)
    .map(([name, field]) => `  ${JSON.stringify(name)}: ${JSON.stringify(field)},`);
  return ['{', ...lines, '  …', '}'].join('\n');
}

/** Every operation by its path, for readers that know the address and not the subject. */
function index(operations: readonly DocumentedOperation[]): Markup {
  const byPath = new Map<string, DocumentedOperation[]>();
  for (const each of operations) {
    const path = each.name.slice(each.name.indexOf(' ') + 1);
    byPath.set(path, [...(byPath.get(path) ?? []), each]);
  }
  const rows = [...byPath].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const link = ({ name, operation: { operationId } }: DocumentedOperation) =>
    markup`<a href="#${operationId}">${name.slice(0, name.indexOf(' '))}</a> `;
  return markup`<section><h2 id="paths">By path</h2><table class="refusals">${rows.map(
    ([path, all]) => markup`<tr><th scope="row"><code>${path}</code></th><td>${all.map(link)}</td></tr>\n`,
  )}</table></section>`;
}

/** Every refusal, where its problem document's `type` leads (API-7). */
function refusalTable(): Markup {
  const rows = allProblemCodes.map((code) => {
    const [when, todo, retry] = refusalGuide[code];
    return markup`<tr id="refusal-${code}"><th scope="row"><code>${code}</code></th><td>${statusesOf(code).join(', ')}</td>
<td>${withCode(when)}</td><td>${withCode(todo)}</td><td>${withCode(retries[retry])}</td></tr>\n`;
  });
  return markup`<section><h2 id="refusals">Refusals</h2><table class="guide"><thead><tr><th>code</th><th>status</th><th>when</th>
<th>what to do</th><th>retry</th></tr></thead><tbody>${rows}</tbody></table></section>`;
}

/**
 * An operation's name in the contents: its method, and its path without what most paths begin with. A long one breaks
 * after a slash, and not within a word.
 */
function shortName(name: string): Markup {
  const parts = name.replace(/ \/api(\/guilds\/\{guildId\}(?=\/))?\//, ' ').split(/(?<=\/)/);
  return markup`${parts.map((part) => markup`${part}<wbr>`)}`;
}

/** A sentence with its backticked names rendered as code. */
const withCode = (sentence = ''): Markup =>
  markup`${sentence.split('`').map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : part))}`;

/** A resource's name as a heading; its anchor stays as it is. */
const titleOf = (tag: string): string => tag.charAt(0).toUpperCase() + tag.slice(1);

const section = ({ tag, description, operations }: Resource): Markup =>
  markup`<section><h2 id="${tag}">${titleOf(tag)}</h2><p>${description}</p>
${operations.map(tag === 'events' ? describeEvent : describeOperation)}</section>`;

const heading = ({ name, operation: { operationId, summary } }: DocumentedOperation): Markup =>
  markup`<h3><a href="#${operationId}"><code>${name}</code> ${withCode(summary)}</a></h3>`;

function describeOperation(documented: DocumentedOperation): Markup {
  const { operationId, description, parameters = [], requestBody, responses = {} } = documented.operation;
  const answers = Object.entries(responses).filter(([status]) => /^[23]/.test(status));
  const refusals = Object.entries(responses).filter(([status]) => /^[45]/.test(status));
  return markup`<article id="${operationId}">${heading(documented)}<p class="quiet">${description}</p>
<div class="sides"><div>${describeParameters(parameters)}${describeBody(requestBody)}
<h4>Answers</h4>${answers.map(([status, answer]) => describeAnswer(status, answer))}
<h4>Refusals</h4><table class="refusals">${refusals.map(([status, refusal]) => describeRefusal(status, refusal))}</table></div>
<div>${describeCall(documented)}${exampleIn(requestBody, 'Example of the body')}
${answers.map(([, answer]) => exampleIn(answer, 'Example of the answer'))}</div></div></article>\n`;
}

/** A redirect leads away from the page *Try it*, and a platform's call needs that platform's signature. */
const isTriable = (method: string, path: string, { security, responses = {} }: oas31.OperationObject): boolean =>
  path.startsWith('/api/') && !('303' in responses) && (method === 'GET' || security?.length !== 0);

function describeCall({ name, operation }: DocumentedOperation): Markup {
  const [method = '', path = ''] = name.split(' ');
  return markup`<details open><summary>Call with curl</summary><pre>${curlOf(method, path, operation)}</pre></details>
${isTriable(method, path, operation) && markup`<p><a href="/docs/try?operation=${operation.operationId}">Try it</a> with your own sign-in or a token.</p>`}`;
}

function describeEvent(documented: DocumentedOperation): Markup {
  const { operationId, parameters = [], requestBody } = documented.operation;
  return markup`<article id="${operationId}">${heading(documented)}
<div class="sides"><div>${describeParameters(parameters)}${describeBody(requestBody)}</div>
<div>${exampleIn(requestBody, 'Example of the body')}</div></div></article>\n`;
}

function describeParameters(parameters: readonly (oas31.ParameterObject | oas31.ReferenceObject)[]): Markup {
  const known = parameters.filter((each): each is oas31.ParameterObject => 'name' in each);
  if (known.length === 0) return markup``;
  return markup`<h4>Parameters</h4><table>${known.map(
    ({ name, in: place, required = false, description, schema = {} }) => {
      const notes = [notesOf(schema), 'description' in schema ? undefined : description].filter(Boolean).join('; ');
      return markup`<tr><th scope="row"><code>${name}</code><br><small>${place}${required && ', required'}</small></th>
<td><code>${describeSchema(schema)}</code>${notes !== '' && markup`<br><small>${notes}</small>`}</td></tr>`;
    },
  )}</table>`;
}

function describeBody(body: oas31.OperationObject['requestBody']): Markup {
  if (body === undefined || !('content' in body)) return markup``;
  return markup`<h4>Body</h4>${describeContent(body.content)}`;
}

function describeAnswer(status: string, answer: oas31.ResponseObject | oas31.ReferenceObject): Markup {
  if (!('description' in answer)) return markup``;
  const { description, content = {} } = answer as oas31.ResponseObject;
  return markup`<p><strong>${status}</strong> ${description}</p>${describeContent(content)}`;
}

function describeContent(content: oas31.ContentObject): Markup {
  const [type, { schema = {} } = {}] = Object.entries(content)[0] ?? [];
  if (type === undefined) return markup``;
  return type === 'application/json'
    ? markup`<pre>${describeSchema(schema)}</pre>\n`
    : markup`<p><code>${type}</code></p>\n`;
}

/** The document's example for a body or an answer, collapsed where it is long. */
function exampleIn(part: object | undefined, label: string): Markup {
  const { content = {} } = (part ?? {}) as { content?: oas31.ContentObject };
  const example: unknown = Object.values(content)[0]?.example;
  if (example === undefined) return markup``;
  const shown = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  const isShort = shown.split('\n').length <= longestShown;
  return markup`<details${isShort && ' open'}><summary>${label}</summary><pre>${shown}</pre></details>\n`;
}

/** Refusals share one form, so only their codes are listed, as in the document's description. */
function describeRefusal(status: string, refusal: oas31.ResponseObject | oas31.ReferenceObject): Markup {
  const [reason = '', codes = ''] = ('description' in refusal ? (refusal.description ?? '') : '').split(': ');
  return markup`<tr><th scope="row">${status} ${reason}</th><td>${codes
    .split(', ')
    .map((code, index) => markup`${index > 0 && ', '}<code>${code}</code>`)}</td></tr>`;
}
