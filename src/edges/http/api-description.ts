import { container } from '@sapphire/framework';
import { docsPage } from './docs-page.js';
import { describeApi } from './openapi.js';

interface ApiDescription {
  /** The OpenAPI document. */
  json: Buffer;
  /** The same as a page. */
  html: string;
}

let made: ApiDescription | undefined;

/** The description of this API as it is served. Made once: the routes of a process don't change. */
export function apiDescription(): ApiDescription {
  made ??= describe();
  return made;
}

function describe(): ApiDescription {
  const document = describeApi(container.stores.get('routes').inMountingOrder());
  return { json: Buffer.from(JSON.stringify(document)), html: docsPage(document) };
}
