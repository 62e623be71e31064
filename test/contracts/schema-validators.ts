import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Contract } from './contract-documents.js';

/** Maximum reported errors in a schema; a failed union can have hundreds. */
const toldErrors = 5;

/** Validators made from the contracts' schemas, each compiled when it is first needed. */
export class SchemaValidators {
  readonly #ajvs: ReadonlyMap<Contract['name'], Ajv>;
  /** For forms, where every value is text: they read numbers and booleans from it. */
  readonly #formAjvs: ReadonlyMap<Contract['name'], Ajv>;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(contracts: readonly Contract[]) {
    this.#ajvs = new Map(contracts.map((contract) => [contract.name, createAjv(contract)]));
    const withForms = contracts.filter(({ name }) => name === 'stripe');
    this.#formAjvs = new Map(withForms.map((contract) => [contract.name, createAjv(contract, { coerceTypes: true })]));
  }

  /** `value`'s fault by the schema at `pointer`; undefined if there is none. */
  complaint(contract: Contract, pointer: readonly string[], value: unknown): string | undefined {
    const validate = this.#validator(contract.name, pointer);
    return validate(value) ? undefined : describe(validate);
  }

  /** The same for a decoded form, in which every value is text. */
  formComplaint(contract: Contract, pointer: readonly string[], form: unknown): string | undefined {
    const validate = this.#validator(contract.name, pointer, this.#formAjvs);
    return validate(structuredClone(form)) ? undefined : describe(validate);
  }

  /**
   * The same for a parameter, which is text on the wire: it is right when any way to read the text is. Ids stay text
   * where the contract says text, as they do not fit a JavaScript number.
   */
  parameterComplaint(contract: Contract, pointer: readonly string[], texts: readonly string[]): string | undefined {
    const validate = this.#validator(contract.name, pointer);
    const [plainest, ...others] = readingsOf(texts);
    if ([...others, plainest].some((reading) => validate(reading))) return undefined;
    return `${JSON.stringify(texts.join(','))} does not fit (${describe(validate)})`;
  }

  #validator(name: Contract['name'], pointer: readonly string[], ajvs = this.#ajvs): ValidateFunction {
    const fragment = pointer.map(encodeToken).join('/');
    const $ref = `${name}#/${fragment}`;
    const key = `${ajvs === this.#ajvs ? '' : 'form '}${$ref}`;
    const known = this.#compiled.get(key);
    if (known) return known;
    const compiled = ajvs.get(name)?.compile({ $ref });
    if (!compiled) throw new Error(`There is no contract called ${name}.`);
    this.#compiled.set(key, compiled);
    return compiled;
  }
}

function createAjv({ name, document }: Contract, more: { coerceTypes?: boolean } = {}): Ajv {
  // Compiling is most of the cost, since each test process does it: code that is neither inlined nor optimized takes
  // half.
  const quick = { inlineRefs: false, code: { optimize: false } } as const;
  const options = { strict: false, allErrors: true, logger: false, ...quick, ...more } as const;
  const ajv = document.openapi.startsWith('3.0') ? new Ajv(options) : new Ajv2020(options);
  addFormats.default(ajv);
  ajv.addFormat('snowflake', /^(0|[1-9][0-9]*)$/);
  ajv.addFormat('nonce', true);
  ajv.addFormat('enum', true);
  return ajv.addSchema(document, name);
}

/** Number or boolean, text, and for lists both repeated arguments and `a,b,c`; the likeliest comes first. */
function readingsOf(texts: readonly string[]): unknown[] {
  const [only] = texts;
  if (only === undefined || texts.length > 1) return [texts.map(asScalar), texts];
  const list = only.split(',');
  return [asScalar(only), only, list, list.map(asScalar)];
}

function asScalar(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function describe(validate: ValidateFunction): string {
  const told = (validate.errors ?? []).slice(0, toldErrors);
  return told
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${detail(params)}`.trim())
    .join('; ');
}

/** Names the culprit where ajv's message leaves it out. */
function detail(params: Record<string, unknown>): string {
  const { additionalProperty, allowedValues } = params;
  if (additionalProperty !== undefined) return `(${additionalProperty})`;
  return allowedValues === undefined ? '' : JSON.stringify(allowedValues);
}

/** RFC 6901 in a URI fragment. */
function encodeToken(token: string): string {
  return encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1'));
}
