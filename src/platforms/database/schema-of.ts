import { Schema, Types } from 'mongoose';
import { z } from 'zod';

// A required text has to be there; Mongoose would also refuse an empty one.
Schema.Types.String.checkRequired((value: unknown) => typeof value === 'string');

/** The `_id` of a document that is looked up by other fields; Mongoose makes it. */
export const objectId = z.instanceof(Types.ObjectId);

/**
 * The Mongoose schema of documents with these fields: a model's type (`z.output`), schema and API view (`shownFields`)
 * come from one declaration. A nullable field is null, and an optional one absent, when nobody sets it. Unions, records
 * and `z.custom` are stored as they come (Mixed). Indexes are added to the answer.
 */
export function schemaOf<Stored>(collection: string, fields: z.ZodObject & z.ZodType<Stored>): Schema<Stored> {
  return new Schema<Stored>(pathsOf(fields), { collection, versionKey: false, suppressReservedKeysWarning: true });
}

function pathsOf({ shape }: z.ZodObject): Record<string, object> {
  const fields = Object.entries<z.core.$ZodType>(shape).filter(([, field]) => field !== objectId);
  return Object.fromEntries(fields.map(([name, field]) => [name, pathOf(field)]));
}

function pathOf(field: z.core.$ZodType): object {
  if (field instanceof z.ZodExactOptional || field instanceof z.ZodOptional) return absentOr(field.unwrap(), undefined);
  if (field instanceof z.ZodNullable) return absentOr(field.unwrap(), null);
  if (field instanceof z.ZodDefault) return absentOr(field.unwrap(), field.def.defaultValue);
  if (field instanceof z.ZodReadonly) return pathOf(field.unwrap());
  return { type: typeOf(field), required: true };
}

const absentOr = (field: z.core.$ZodType, absent: unknown): object => ({
  ...pathOf(field),
  required: false,
  default: absent,
});

function typeOf(field: z.core.$ZodType): unknown {
  if (field instanceof z.ZodString || field instanceof z.ZodStringFormat || field instanceof z.ZodEnum) return String;
  if (field instanceof z.ZodNumber) return Number;
  if (field instanceof z.ZodBoolean) return Boolean;
  if (field instanceof z.ZodDate) return Date;
  if (field instanceof z.ZodLiteral) return Object(field.value).constructor;
  if (field instanceof z.ZodArray) return [typeOf(field.element)];
  if (field instanceof z.ZodObject) return new Schema(pathsOf(field), { _id: false, id: false });
  return Schema.Types.Mixed;
}
