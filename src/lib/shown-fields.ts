import { z } from 'zod';
import { timestamp } from './fields.js';

/** A stored value as answers show it: dates as timestamps, absent values as null. Unions, told apart by `type`, stay. */
type Shown<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Shown<Item>[]
    : T extends { type: string }
      ? T
      : T extends object
        ? { [Name in keyof T]-?: ShownField<T, Name> }
        : T;
type ShownField<T, Name extends keyof T> =
  | Shown<Exclude<T[Name], undefined>>
  | (undefined extends T[Name] ? null : never);
type ShownShape<T, Id extends string> = {
  [Name in keyof T as Name extends '_id' ? Id : Name]-?: z.ZodType<ShownField<T, Name>, ShownField<T, Name>>;
};

/**
 * The API view for a model's picked or omitted fields, with the function that converts a document to it. The view can
 * be extended with fields that are not stored, and keeps the descriptions. `_id` is shown as `idName`.
 */
export function shownFields<Fields extends z.ZodObject, Id extends string = '_id'>(fields: Fields, idName?: Id) {
  type Stored = z.output<Fields>;
  const nameOf = (name: string): string => (name === '_id' && idName !== undefined ? idName : name);
  const names = Object.keys(fields.shape).map((name) => [name, nameOf(name)] as const);
  const shape = Object.fromEntries(names.map(([name, shown]) => [shown, shownField(fields.shape[name])]));
  const view = z.strictObject(shape as ShownShape<Stored, Id>);
  const show = showObject(names.map(([name, shown]) => [name, shown, shape[shown]]));
  return { view, show: show as (document: Stored) => z.input<typeof view> };
}

function shownField(field: unknown): z.ZodType {
  if (!(field instanceof z.ZodType)) throw new TypeError('not a field');
  const shown = withoutDescription(field);
  return field.description === undefined || shown === field ? shown : shown.describe(field.description);
}

function withoutDescription(field: z.ZodType): z.ZodType {
  if (field instanceof z.ZodExactOptional || field instanceof z.ZodNullable)
    return shownField(field.unwrap()).nullable();
  if (field instanceof z.ZodDefault) return shownField(field.unwrap());
  if (field instanceof z.ZodDate) return timestamp;
  if (field instanceof z.ZodObject) return shownFields(field).view;
  if (!(field instanceof z.ZodArray)) return field;
  const element = shownField(field.element);
  return element === field.element ? field : z.array(element);
}

type Show = (value: unknown) => unknown;

/** The function that shows a field's values by its view, so that only a document's named parts are shown. */
function showBy(view: unknown): Show {
  if (view instanceof z.ZodNullable) return showBy(view.unwrap());
  if (view instanceof z.ZodArray) {
    const show = showBy(view.element);
    return (value) => (Array.isArray(value) ? value.map(show) : showPlain(value));
  }
  if (!(view instanceof z.ZodObject)) return showPlain;
  const show = showObject(Object.entries<unknown>(view.shape).map(([name, part]) => [name, name, part]));
  return (value) => (isPlain(value) ? showPlain(value) : show(value));
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null || value instanceof Date;

const showPlain: Show = (value) => (value instanceof Date ? value.toISOString() : (value ?? null));

/** The same for an object: each field's name, its name in the view, and its view. */
function showObject(fields: readonly (readonly [name: string, shown: string, view: unknown])[]): Show {
  const shows = fields.map(([name, shown, view]) => [name, shown, showBy(view)] as const);
  return (document) => {
    const stored = Object(document);
    const answer: Record<string, unknown> = {};
    for (const [name, shown, show] of shows) answer[shown] = show(stored[name]);
    return answer;
  };
}
