import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { signaturesOf, signedHeaders } from '../../../src/features/webhooks/signature.js';
import { newSecret } from '../../../src/lib/ids.js';
import { type EventName, eventData, eventSummaries } from '../../../src/platforms/events/event-types.js';
import { type HttpSide, startHttp } from './http-setup.js';

interface Header {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: Record<string, unknown>;
}

interface Document {
  webhooks: Record<
    string,
    { post: { operationId: string; summary: string; security: unknown[]; parameters: Header[]; requestBody: unknown } }
  >;
  components: { schemas: Record<string, Record<string, unknown>> };
}

/** The seed's table, word for word. */
const seedEvents = {
  'verification.completed': 'A user successfully linked a game-platform account',
  'verification.failed': 'A verification attempt failed; the data includes the reason',
  'member.unlinked': 'A member unlinked, or an admin unlinked the member',
  'role.synced': 'A role-sync job for a member completed; the data includes role adds and removes',
  'role.sync_failed': 'A sync job failed (for example chat-platform rate limit, role hierarchy)',
  'guild.suspended': 'A platform admin suspended a guild',
};

describe('The webhooks of the OpenAPI document', () => {
  let http: HttpSide;
  let document: Document;
  const names = Object.keys(eventData) as EventName[];
  const headersOf = (event: EventName) => document.webhooks[event]?.post.parameters ?? [];

  before(async () => {
    http = await startHttp();
    document = (await http.send('GET', '/api/openapi.json')).json;
  });
  after(() => http.close());

  it('The OpenAPI document has every event as a webhook, and the six of the order in its words', () => {
    expect(eventSummaries).to.include(seedEvents);
    expect(Object.keys(document.webhooks)).to.deep.equal(names);
    for (const [event, summary] of Object.entries(seedEvents)) {
      const { post } = document.webhooks[event] ?? {};
      expect(post?.summary).to.equal(summary);
      expect(post?.operationId).to.match(/^send[A-Z][A-Za-z]+$/);
      expect(post?.security).to.deep.equal([]);
    }
  });

  it('The schema of every event is the envelope of the order, with every field required and no other fields', () => {
    for (const event of names) {
      const schema = JSON.stringify(document.webhooks[event]?.post.requestBody);
      const [, name = ''] = /"#\/components\/schemas\/(\w+)"/.exec(schema) ?? [];
      const envelope = document.components.schemas[name];
      expect(envelope).to.deep.include({
        type: 'object',
        required: ['id', 'event', 'createdAt', 'guildId', 'data'],
        additionalProperties: false,
      });
    }
    const { properties } = document.components.schemas.VerificationCompletedEvent as {
      properties: { data: { required: string[]; properties: Record<string, { type: string }> } };
    };
    expect(properties.data.required).to.deep.equal(['chatUserId', 'gameUserId', 'gameUsername']);
    for (const { type } of Object.values(properties.data.properties)) expect(type).to.equal('string');
  });

  it('The documented headers of a webhook are those that are really sent, and no others', () => {
    const ajv = new Ajv2020({ allErrors: true, strict: true });
    for (const event of names) {
      const attempt = {
        event,
        deliveryId: `dlv_${'0a'.repeat(12)}`,
        eventId: `evt_${'0b'.repeat(12)}`,
        body: Buffer.from('{}'),
        secrets: [`whsec_${newSecret()}`, `whsec_${newSecret()}`],
        at: new Date(),
        test: true,
      };
      const sent = signedHeaders(attempt, signaturesOf(attempt));
      const { 'content-type': type, ...headers } = sent;
      expect(Object.keys(headers)).to.have.members(headersOf(event).map(({ name }) => name));
      expect(document.webhooks[event]?.post.requestBody).to.have.nested.property(`content.${type}`);
      for (const { name, schema, in: place } of headersOf(event)) {
        expect(place).to.equal('header');
        expect(ajv.validate(schema, headers[name]), `${name}: ${headers[name]}`).to.equal(true);
        expect(ajv.validate(schema, `${headers[name]}?`), name).to.equal(false);
      }
    }
  });

  it('The documentation describes the order’s webhook headers as the order does', () => {
    for (const event of names) {
      const words = Object.fromEntries(headersOf(event).map(({ name, description }) => [name, description]));
      expect(words['x-link-signature']).to.match(/^t=<timestamp>,v1=<hmac-sha256>/);
      expect(words['x-link-delivery']).to.equal('<delivery_id>, an identifier of the delivery');
    }
  });

  it('The readable page of the API shows the webhooks', async () => {
    const { text } = await http.send('GET', '/docs');
    expect(text).to.contain('<h2 id="events">');
    for (const event of names) {
      expect(text).to.contain(`<code>${event}</code> ${eventSummaries[event]}`);
    }
    expect(text).to.contain('x-link-signature');
  });
});
