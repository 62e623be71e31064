import { readFileSync } from 'node:fs';

/** One request to an operation and its answer, as they were in a test run (`npm run examples`), without secrets. */
export interface Example {
  /** The parameters in the path. */
  path: Readonly<Record<string, string>>;
  body?: unknown;
  status: number;
  answer?: unknown;
}

const file = new URL('./openapi-examples.json', import.meta.url);
const examples: Readonly<Record<string, Example>> = JSON.parse(readFileSync(file, 'utf8'));

/** The example of an operation; undefined for a route that no file holds. */
export const exampleOf = (operationId: string): Example | undefined => examples[operationId];
