import type { oas31 } from 'zod-openapi';
import { type Markup, markup } from '../../lib/html.js';
import { page } from './html-page.js';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

interface DocumentedOperation {
  /** `GET /api/guilds`, or the name of an event. */
  name: string;
  operation: oas31.OperationObject;
}

/** The readable form of the OpenAPI document, for `/docs`: one section a resource, one block an endpoint. */
export function docsPage({ info, paths, webhooks, tags = [], components }: oas31.OpenAPIObject): string {
  const operations = operationsOf(paths, (method, path) => `${method.toUpperCase()} ${path}`);
  const events = operationsOf(webhooks, (_, event) => event);
  const resources = [...new Set(operations.map(({ operation }) => operation.tags?.[0]))];
  return page(
    'API',
    markup`<p>${info.description} The same as a file: <a href="/api/openapi.json">OpenAPI 3.1</a>.</p>
<nav aria-label="Resources"><ul>${[...resources, 'events'].map((tag) => markup`<li><a href="#${tag}">${tag}</a></li>`)}</ul></nav>
${resources.map(
  (tag) => markup`<section><h2 id="${tag}">${tag}</h2>
<p>${tags.find(({ name }) => name === tag)?.description}</p>
${operations.filter(({ operation }) => operation.tags?.[0] === tag).map(describeOperation)}</section>`,
)}
<section><h2 id="events">events</h2><p>${tags.find(({ name }) => name === 'events')?.description}</p>
${events.map(describeEvent)}</section>
<section><h2 id="schemas">Schemas</h2>
${Object.entries(components?.schemas ?? {}).map(
  ([name, schema]) => markup`<details id="schema-${name}"><summary>${name}</summary>${code(schema)}</details>`,
)}</section>`,
  );
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

function describeOperation({ name, operation }: DocumentedOperation): Markup {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  return markup`<details><summary><code>${name}</code> ${summary}</summary>
<p>${description}</p>
${parameters.length > 0 && markup`<h4>Parameters</h4>${code(parameters)}`}
${requestBody !== undefined && markup`<h4>Body</h4>${code(requestBody)}`}
<h4>Answers</h4>${code(successes(responses))}
<h4>Refusals</h4><ul>${refusals(responses)}</ul></details>`;
}

function describeEvent({ name, operation: { summary, parameters, requestBody } }: DocumentedOperation): Markup {
  return markup`<details><summary><code>${name}</code> ${summary}</summary>
<h4>Headers</h4>${code(parameters)}
<h4>Body</h4>${code(requestBody)}</details>`;
}

function successes(responses: oas31.ResponsesObject = {}): unknown {
  return Object.fromEntries(Object.entries(responses).filter(([status]) => /^[23]/.test(status)));
}

/** Refusals have one form, so only their codes are said, as the description does. */
function refusals(responses: oas31.ResponsesObject = {}): Markup[] {
  const refused = Object.entries(responses).filter(([status]) => /^[45]/.test(status));
  return refused.map(([status, { description }]) => markup`<li>${status} ${description}</li>`);
}

const code = (value: unknown): Markup => markup`<pre>${JSON.stringify(value, null, 2)}</pre>`;
