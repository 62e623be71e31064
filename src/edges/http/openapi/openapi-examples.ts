import { readFileSync } from 'node:fs';

/** A request to an operation with its answer, recorded in a test run (`npm run examples`), without secrets. */
export interface Example {
  path: Readonly<Record<string, string>>;
  body?: unknown;
  status: number;
  answer?: unknown;
}

const file = new URL('./openapi-examples.json', import.meta.url);
const examples: Readonly<Record<string, Example>> = JSON.parse(readFileSync(file, 'utf8'));

export const exampleOf = (operationId: string): Example | undefined => examples[operationId];
