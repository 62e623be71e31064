import { Schema, Types } from 'mongoose';
import { z } from 'zod';

// A required text must be present; Mongoose would also reject an empty one.
Schema.Types.String.checkRequired((value: unknown) => typeof value === 'string');

/** The `_id`, made by Mongoose, when a document is queried by other fields. */
export const objectId = z.instanceof(Types.ObjectId);

/**
 * The Mongoose schema for documents with these fields. A model's type (`z.output`), schema and API view (`shownFields`)
 * share one declaration. An unset nullable field is null, an unset optional one absent. Unions, records and `z.custom`
 * are stored unchanged (Mixed). Indexes are added to the result.
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
  if (field instanceof z.ZodObject)
    return new Schema(pathsOf(field), { _id: false, id: false, suppressReservedKeysWarning: true });
  return Schema.Types.Mixed;
}
