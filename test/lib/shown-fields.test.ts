import { expect } from 'chai';
import { z } from 'zod';
import { shownFields } from '../../src/lib/shown-fields.js';

const at = new Date('2026-07-01T12:00:00.000Z');

describe('Shown fields', () => {
  const fields = z.strictObject({
    _id: z.string(),
    hidden: z.string(),
    at: z.date().exactOptional().describe('When'),
    plan: z.enum(['free', 'pro']).default('free'),
    parts: z.array(z.strictObject({ at: z.date().nullable(), note: z.string().exactOptional() })),
    ids: z.array(z.string().min(2)).min(1),
  });
  const { view, show } = shownFields(fields.omit({ hidden: true }), 'thingId');

  // ID-3
  it('A view shows moments as timestamps, absent values as null, and nothing that it does not name', () => {
    const parts = [{ at, note: 'a', secret: 'x' }, { at: null }];
    const shown = show({ ...{ hidden: 'x' }, _id: 'a', at, plan: 'pro', parts, ids: ['aa'] });
    expect(shown).to.deep.equal({
      thingId: 'a',
      at: '2026-07-01T12:00:00.000Z',
      plan: 'pro',
      parts: [
        { at: '2026-07-01T12:00:00.000Z', note: 'a' },
        { at: null, note: null },
      ],
      ids: ['aa'],
    });
    expect(view.parse(shown)).to.deep.equal(shown);
    expect(show({ _id: 'a', plan: 'free', parts: [], ids: [] }).at).to.equal(null);
  });

  it('A view’s fields are documented as they are shown, with their descriptions and limits', () => {
    const { properties, required } = z.toJSONSchema(view);
    expect(required).to.deep.equal(['thingId', 'at', 'plan', 'parts', 'ids']);
    expect(properties?.at).to.deep.include({ description: 'When' });
    expect(properties?.ids).to.deep.include({ minItems: 1, items: { type: 'string', minLength: 2 } });
    expect(view.safeParse({ thingId: 'a', at: null, plan: 'free', parts: [], ids: [] }).success).to.equal(false);
  });
});
