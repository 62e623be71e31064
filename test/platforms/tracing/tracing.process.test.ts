import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { z } from 'zod';
import { endProcesses, type ServiceProcess, startProcess } from '../../boot/service-process.js';
import { eventually } from '../../support/build.js';
import { openStoredStage, personAt, type StoredStage, verify } from '../../upgrades/stored-stage.js';

const attributes = z.array(
  z.object({
    key: z.string(),
    value: z.object({ stringValue: z.string(), intValue: z.union([z.number(), z.string()]) }).partial(),
  }),
);
/** OTLP's JSON part about spans. */
const exported = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              name: z.string(),
              kind: z.int(),
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              attributes,
            }),
          ),
        }),
      ),
    }),
  ),
});
type Exported = z.output<typeof exported>;

/**
 * Writes how many OpenTelemetry modules are loaded to standard error at the end; its interface `api` is always there,
 * by prom-client.
 */
const listing = `import Module from 'node:module';
  process.on('exit', () => {
    const loaded = Object.keys(Module._cache).filter((path) => /@opentelemetry.(?!api.build)/.test(path));
    process.stderr.write('loaded of OpenTelemetry: ' + loaded.length + '\\n');
  });`;
const options = ['--import', `data:text/javascript,${encodeURIComponent(listing)}`];
const loadedBy = (service: ServiceProcess): number =>
  Number(/^loaded of OpenTelemetry: (\d+)$/m.exec(service.errors())?.[1]);

describe('Traces', () => {
  let stage: StoredStage;
  let collector: Server;
  let received: { path: string; headers: IncomingHttpHeaders; body: Exported }[];

  before(async () => {
    stage = await openStoredStage();
    received = [];
    collector = createServer(async (request, response) => {
      const body = exported.parse(JSON.parse((await buffer(request)).toString()));
      received.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
  });
  after(async () => {
    await endProcesses();
    collector.close();
    await stage.close();
  });

  const endpoint = () => `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const start = async (more: Record<string, string> = {}): Promise<ServiceProcess> => {
    const service = startProcess({ ...(await stage.environment()), ...more }, options);
    await service.logged('ready');
    return service;
  };
  const stop = async (service: ServiceProcess): Promise<void> => {
    service.signal('SIGTERM');
    expect(await service.ended).to.equal(0);
  };
  const spansOf = () =>
    received.flatMap(({ body }) =>
      body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );

  it('Without a collector nothing of OpenTelemetry is loaded', async () => {
    const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: '' });
    await stop(service);
    expect(loadedBy(service)).to.equal(0);
    expect(received).to.have.length(0);
  });

  it('A collector gets a span of each request, sync, delivery and call of a platform, without a token', async () => {
    const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint() });
    const { guild, verified } = stage.ids;
    const owner = await personAt(service.url, stage, 'owner');
    const hook = { url: stage.receiver.url, events: ['verification.completed'] };
    await owner('POST', `/api/guilds/${guild}/webhooks`, hook);
    await owner('POST', `/api/guilds/${guild}/mappings`, { condition: { type: 'verified' }, roleIds: [verified] });
    await verify(service.url, stage, 'linked', 'officerOnRoblox', 'StoredOfficer');
    await eventually(() => stage.receiver.received.length > 0, 'the delivery');
    await stop(service);
    expect(loadedBy(service)).to.be.greaterThan(10);

    expect(received.every(({ path }) => path === '/v1/traces')).to.equal(true);
    const resource = received[0]?.body.resourceSpans[0]?.resource.attributes ?? [];
    expect(resource.find(({ key }) => key === 'service.name')?.value.stringValue).to.equal('rolelink');
    const spans = spansOf();
    const request = spans.find(({ name }) => name === 'POST /api/verification/complete');
    const sync = spans.find(({ name }) => name === 'sync member');
    expect(request).to.include({ kind: 2 });
    expect(sync).to.include({ traceId: request?.traceId });
    expect(spans.find(({ name }) => name === 'deliver')).not.to.equal(undefined);
    const calls = spans.filter(({ kind }) => kind === 3);
    expect(
      calls.filter(({ parentSpanId }) => parentSpanId === sync?.spanId),
      'calls of the sync',
    ).not.to.be.empty;
    const targets = calls.flatMap((span) => span.attributes.filter(({ key }) => key === 'url.full'));
    const told = targets.map(({ value }) => value.stringValue ?? '');
    for (const origin of [stage.discord.url, stage.roblox.url, new URL(stage.receiver.url).origin])
      expect(
        told.some((url) => url.startsWith(origin)),
        origin,
      ).to.equal(true);

    const { DISCORD_TOKEN = '?', DISCORD_CLIENT_SECRET = '?', ROBLOX_API_KEY = '?' } = await stage.environment();
    const text = JSON.stringify(received);
    for (const secret of [DISCORD_TOKEN, DISCORD_CLIENT_SECRET, ROBLOX_API_KEY, 'rlk_', 'code='])
      expect(text).not.to.contain(secret);
    expect(stage.receiver.received[0]?.headers).not.to.have.property('traceparent');
  });

  // ENV-92
  it('OpenTelemetry’s usual variables count, a caller’s trace goes on, and commands, presses and log lines have ids', async () => {
    received = [];
    const service = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(),
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20secret-of-collector,x-tenant=links',
      OTEL_SERVICE_NAME: 'links',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
    });
    const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    await fetch(`${service.url}/healthz`, { headers: { traceparent: `00-${traceId}-${spanId}-01` } });
    await fetch(`${service.url}/readyz`, { headers: { traceparent: `00-${'0'.repeat(32)}-${spanId}-01` } });
    // A probe without a caller's trace, such as doctor's own.
    await fetch(`${service.url}/healthz`);
    const { discord, ids } = stage;
    const { guild = '', owner = '' } = ids;
    const shown = await (await discord.command(guild, owner, 'verify')).reply();
    await discord.press(guild, owner, shown, 'Use a profile code');
    await stop(service);

    const [{ headers, body } = { headers: {}, body: { resourceSpans: [] } }] = received;
    expect(headers).to.include({ authorization: 'Basic secret-of-collector', 'x-tenant': 'links' });
    const resource = body.resourceSpans[0]?.resource.attributes ?? [];
    const named = Object.fromEntries(resource.map(({ key, value }) => [key, value.stringValue]));
    expect(named).to.include({ 'service.name': 'links', 'deployment.environment.name': 'test' });
    expect(named['service.instance.id']).to.match(/^[0-9a-f-]{36}$/);
    const spans = spansOf();
    expect(spans.find((span) => span.traceId === traceId)).to.include({ name: 'GET /healthz', parentSpanId: spanId });
    expect(spans.filter(({ name }) => name === 'GET /healthz')).to.have.length(1);
    expect(spans.find(({ name }) => name === 'GET /readyz')).not.to.include.any.keys('parentSpanId');
    expect(spans.find(({ name }) => name === 'command verify')).to.include({ kind: 2 });
    expect(spans.map(({ name }) => name)).to.include('press profile-code');
    const line = service.lines().find((each) => Reflect.get(each, 'trace_id') === traceId);
    expect(line).to.include({ msg: 'request', path: '/healthz' });
    expect(service.output()).not.to.contain('secret-of-collector');
  });

  it('A collector that is away stops nothing', async () => {
    const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    expect((await fetch(`${service.url}/healthz`)).status).to.equal(200);
    await stop(service);
  });
});
