import { type Markup, markup } from '../../lib/html.js';
import { page } from './html-page.js';
import type { OpenApiDocument, OpenApiOperation } from './openapi-document.js';

/** The readable form of the OpenAPI document, for `/docs`: one section a resource, one block an endpoint. */
export function docsPage(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const tags = [...new Set(operations.map(({ operation }) => operation.tags[0] ?? ''))];
  return page(
    'API',
    markup`<p>${document.info.description} The same as a file: <a href="/api/openapi.json">OpenAPI 3.1</a>.</p>
<nav aria-label="Resources"><ul>${[...tags, 'events'].map((tag) => markup`<li><a href="#${tag}">${tag}</a></li>`)}</ul></nav>
${tags.map(
  (tag) => markup`<section><h2 id="${tag}">${tag}</h2>
${operations.filter(({ operation }) => operation.tags[0] === tag).map(describeOperation)}</section>`,
)}
<section><h2 id="events">events</h2><p>${document.tags.map(({ description }) => description)}</p>
${Object.entries(document.webhooks).map(([event, { post }]) => describeEvent(event, post))}</section>
<section><h2 id="schemas">Schemas</h2>
${Object.entries(document.components.schemas).map(
  ([name, schema]) => markup`<details id="schema-${name}"><summary>${name}</summary>${code(schema)}</details>`,
)}</section>`,
  );
}

function describeOperation(entry: { method: string; path: string; operation: OpenApiOperation }): Markup {
  const { method, path, operation } = entry;
  const { parameters, requestBody, responses } = operation;
  return markup`<details><summary><code>${method} ${path}</code> ${operation.summary}</summary>
<p>${operation.description}</p>
${Array.isArray(parameters) && parameters.length > 0 && markup`<h4>Parameters</h4>${code(parameters)}`}
${requestBody !== undefined && markup`<h4>Body</h4>${code(requestBody)}`}
<h4>Answers</h4>${code(successes(responses))}</details>`;
}

function describeEvent(event: string, { summary, parameters, requestBody }: OpenApiOperation): Markup {
  return markup`<details><summary><code>${event}</code> ${summary}</summary>
<h4>Headers</h4>${code(parameters)}
<h4>Body</h4>${code(requestBody)}</details>`;
}

/** Refusals are the same everywhere, so only what is peculiar to the endpoint is shown. */
function successes(responses: unknown): unknown {
  return Object.fromEntries(Object.entries(responses ?? {}).filter(([status]) => /^[23]/.test(status)));
}

const code = (value: unknown): Markup => markup`<pre>${JSON.stringify(value, null, 2)}</pre>`;
