import { expect } from 'chai';
import { model, Types } from 'mongoose';
import { z } from 'zod';
import { newSecret } from '../../../src/lib/ids.js';
import { objectId, schemaOf } from '../../../src/platforms/database/schema-of.js';
import { connectTestDatabase } from '../../support/test-database.js';

const fields = z.strictObject({
  _id: objectId,
  name: z.string(),
  kind: z.literal('a'),
  count: z.int(),
  open: z.literal(true).exactOptional(),
  note: z.string().nullable(),
  plan: z.enum(['free', 'pro']).default('free'),
  at: z.date().exactOptional(),
  ids: z.array(z.string()).exactOptional(),
  parts: z.array(z.strictObject({ type: z.string(), at: z.date() })),
  lease: z.strictObject({ id: z.string(), until: z.date() }).nullable(),
  rule: z.union([z.strictObject({ rank: z.int() }), z.string()]),
});
const Things = model('SchemaOfThing', schemaOf('schema_of_things', fields));

describe('Schemas made of fields', () => {
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  before(async () => {
    database = await connectTestDatabase();
  });
  after(() => database.close());

  const at = new Date('2026-07-01T12:00:00.000Z');
  const whole = () => ({ name: newSecret(), kind: 'a' as const, count: 1, parts: [], rule: 'x' });
  const readBack = (name: string) => Things.findOne({ name }).lean().exec();

  it('A schema stores the fields that are set, and null, nothing or the default for the rest', async () => {
    const thing = whole();
    await Things.create(thing);
    const { _id, ...stored } = (await readBack(thing.name)) ?? {};
    expect(_id).to.be.instanceOf(Types.ObjectId);
    expect(stored).to.deep.equal({ ...thing, note: null, plan: 'free', lease: null });
  });

  it('A schema stores parts without ids of their own, and unions as they come', async () => {
    const parts = [{ type: 'b', at }];
    const thing = { ...whole(), open: true as const, parts, lease: { id: 'l', until: at }, rule: { rank: 3 } };
    await Things.create(thing);
    expect(await readBack(thing.name)).to.deep.include(thing);
  });

  it('A schema casts values that are set later, and drops fields that it does not know', async () => {
    const thing = whole();
    await Things.create(thing);
    const set = { at: at.toISOString(), lease: { id: 'l', until: at.toISOString() }, unknown: 1 };
    await Things.updateOne({ name: thing.name }, { $set: set });
    const stored = await readBack(thing.name);
    expect(stored).to.deep.include({ at, lease: { id: 'l', until: at } });
    expect(stored).not.to.have.property('unknown');
  });

  it('A schema refuses a document without a required field, and takes an empty text', async () => {
    const { kind: _, ...rest } = whole();
    const refusal = await Things.create({ ...rest }).catch((error: unknown) => String(error));
    expect(refusal).to.match(/`kind` is required/);
    await Things.create({ ...whole(), rule: '', parts: [{ type: '', at }] });
  });
});
