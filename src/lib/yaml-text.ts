import { parse, YAMLError } from 'yaml';
import { InvalidRequest } from './errors.js';

/** What a text in YAML says; JSON is YAML too. Aliases are refused: they make much of little. Throws InvalidRequest. */
export function readYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 });
  } catch (error) {
    // What is nested very deep is a RangeError, and an alias a ReferenceError.
    const isOfText = [YAMLError, ReferenceError, RangeError].some((kind) => error instanceof kind);
    if (!(error instanceof Error && isOfText)) throw error;
    throw new InvalidRequest([{ path: '', message: `The body cannot be read: ${error.message}` }]);
  }
}
