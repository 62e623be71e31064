import { container } from '@sapphire/framework';
import { type CodedFile, codedFile } from '../coded-file.js';
import { docsPage } from '../pages/docs-page.js';
import { describeApi } from './openapi.js';

interface ApiDescription {
  json: Buffer;
  html: string;
  files: { json: CodedFile; html: CodedFile };
}

let made: ApiDescription | undefined;

/** This API's description as served. Built once: a process's routes don't change. */
export function apiDescription(): ApiDescription {
  made ??= describe();
  return made;
}

function describe(): ApiDescription {
  const document = describeApi(container.stores.get('routes').inMountingOrder());
  const [json, html] = [JSON.stringify(document), docsPage(document)];
  const files = {
    json: codedFile(json, 'application/json; charset=utf-8'),
    html: codedFile(html, 'text/html; charset=utf-8'),
  };
  return { json: files.json.plain, html, files };
}
