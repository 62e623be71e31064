import { dereference, type OpenApiDocument, type Schema } from './contract-documents.js';

/**
 * Lists `value`'s keys that `schema` does not know, as JSON pointers. Published schemas hardly ever forbid extra
 * properties, so a misspelt optional field would pass validation; here it does not. Objects for which the schema names
 * no property at all are free-form.
 */
export function unknownKeys(document: OpenApiDocument, value: unknown, schemas: readonly Schema[], at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const shapes = schemas.flatMap((schema) => shapesOf(document, schema, value));
  if (Array.isArray(value)) {
    const items = shapes.flatMap((shape) => shape.items ?? []);
    return value.flatMap((item, index) => unknownKeys(document, item, items, `${at}/${index}`));
  }
  if (shapes.every((shape) => shape.properties === undefined && shape.additionalProperties === undefined)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = shapes.flatMap((shape) => schemasOfKey(shape, key));
    return known.length === 0 ? [`${at}/${key}`] : unknownKeys(document, inner, known, `${at}/${key}`);
  });
}

/** The schema itself and every part (references, `allOf`, fitting alternatives) that may describe `value`. */
function shapesOf(document: OpenApiDocument, schema: Schema, value: object): Schema[] {
  const shape = dereference(document, schema);
  const alternatives = [...(shape.anyOf ?? []), ...(shape.oneOf ?? [])]
    .map((alternative) => dereference(document, alternative))
    .filter((alternative) => mayDescribe(document, alternative, value));
  return [shape, ...[...(shape.allOf ?? []), ...alternatives].flatMap((part) => shapesOf(document, part, value))];
}

/** Rules an alternative out when a fixed value, such as `type`, is another in `value`. */
function mayDescribe(document: OpenApiDocument, { properties = {} }: Schema, value: object): boolean {
  return Object.entries(properties).every(([key, property]) => {
    const actual: unknown = Reflect.get(value, key);
    const { const: only, enum: allowed } = dereference(document, property);
    if (actual === undefined) return true;
    return only !== undefined ? only === actual : (allowed?.includes(actual) ?? true);
  });
}

function schemasOfKey({ properties = {}, additionalProperties }: Schema, key: string): Schema[] {
  const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (own) return [own];
  if (additionalProperties === true) return [{}];
  return typeof additionalProperties === 'object' ? [additionalProperties] : [];
}
