import { expect } from 'chai';
import { z } from 'zod';
import { open } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { describeApi } from '../../src/edges/http/openapi/openapi.js';
import { defineRoute, type Route } from '../../src/edges/http/route.js';
import { routeContext, startHttp } from '../edges/http/http-setup.js';
import { documentedName, type OpenApi, operationOf } from '../edges/http/openapi-setup.js';
import { Fuzzer, type Outcome } from './fuzz-operation.js';

const seed = 16;

/** A route in no file that does `handle` with a number and a text. */
function planted(handle: (number: number, text: string) => unknown): Route {
  const Planted = defineRoute({
    endpoint: 'POST /api/planted/:id',
    summary: 'Planted',
    access: open,
    input: {
      query: z.strictObject({ number: z.coerce.number<string>().int().min(0).max(1_000) }),
      body: z.strictObject({ text: z.string().max(50), list: z.array(z.boolean()).optional() }),
    },
    answers: { 200: z.strictObject({ said: z.string() }) },
    handle: ({ query, body }) => ok({ said: handle(query.number, body.text) }),
  });
  return new Planted(routeContext());
}

async function fire(route: Route): Promise<Outcome> {
  const http = await startHttp({ routes: [route] });
  const document = JSON.parse(JSON.stringify(describeApi([route]))) as OpenApi;
  const [, path = ''] = documentedName(route).split(' ');
  const target = { method: route.method, path, operation: operationOf(document, route), known: {} };
  return await new Fuzzer(http, document)
    .fire({ ...target, credentials: async () => ({}) }, 200, seed)
    .finally(() => http.close());
}

describe('The fuzz', () => {
  it('The fuzz finds nothing where nothing is wrong, with accepted and with refused requests', async () => {
    const { requests, statuses, fault } = await fire(planted((_, text) => text));
    expect(fault).to.equal(undefined);
    expect(requests).to.equal(200);
    expect(statuses.get(200)).to.be.above(60);
    expect(statuses.get(400)).to.be.above(40);
  });

  it('The fuzz finds the one kind of input that breaks a route, and prints the shortest failing request', async () => {
    const { fault } = await fire(
      planted((number, text) => {
        if (number > 500) throw new Error('planted');
        return text;
      }),
    );
    expect(fault).to.contain("curl -X POST 'http://127.0.0.1:");
    expect(fault).to.contain('?number=501').and.to.contain(`--data-raw '{"text":""}'`).and.to.contain('planted');
  });

  it('The fuzz finds an answer that does not fit its document', async () => {
    const { fault } = await fire(planted((number, text) => (number % 2 === 0 ? text : number)));
    expect(fault).to.contain('?number=1').and.to.contain('breaks its own schema');
  });
});
