import { buildVersion } from '../../lib/build-version.js';
import { cutUrl } from '../../lib/cut-url.js';
import { logger } from '../../lib/logger.js';
import { ConfigError } from '../../lib/start-error.js';
import { type Tracer, useTracer } from '../../lib/traced.js';

/** Time for the last spans to go out when the service stops. */
const flushWithinMs = 2_000;

/**
 * Sends spans of requests, syncs, deliveries and outgoing calls to an OpenTelemetry collector at `endpoint` (OTLP over
 * HTTP, JSON). Without an endpoint, none of its packages is loaded except `api`, which prom-client needs. Returns the
 * function that ends it. @throws ConfigError if the optional packages are not installed
 */
export async function startTracing(endpoint: string | undefined): Promise<() => Promise<void>> {
  if (endpoint === undefined) return async () => {};
  const {
    api,
    NodeTracerProvider,
    BatchSpanProcessor,
    OTLPTraceExporter,
    UndiciInstrumentation,
    resourceFromAttributes,
  } = await loadPackages();
  const { version, commit } = buildVersion();
  const resource = { 'service.name': 'rolelink', 'service.version': version, 'vcs.ref.head.revision': commit };
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes(resource),
    spanProcessors: [new BatchSpanProcessor(exporter, { exportTimeoutMillis: flushWithinMs })],
  });
  // Without a propagator: Discord, Roblox and subscribers receive no trace ids.
  provider.register({ propagator: null });
  const calls = new UndiciInstrumentation({
    // Paths contain interaction tokens, and queries contain caller input.
    startSpanHook: ({ origin, path }) => ({
      'url.full': cutUrl(`${origin}${path}`),
      'url.path': cutUrl(path),
      'url.query': '',
    }),
  });
  calls.setTracerProvider(provider);
  useTracer(tracerOf(api, provider.getTracer('rolelink', version)));
  return async () => {
    useTracer(undefined);
    calls.disable();
    const flushed = provider.shutdown().catch((err: unknown) => logger.warn({ err }, 'last spans not sent'));
    await Promise.race([flushed, new Promise((resolve) => setTimeout(resolve, flushWithinMs).unref())]);
    api.trace.disable();
    api.context.disable();
  };
}

type Api = typeof import('@opentelemetry/api');

const tracerOf =
  ({ SpanKind, SpanStatusCode }: Api, spans: ReturnType<Api['trace']['getTracer']>): Tracer =>
  ({ name, kind, attributes = {} }, work) =>
    spans.startActiveSpan(
      name,
      { kind: kind === 'server' ? SpanKind.SERVER : SpanKind.INTERNAL, attributes },
      async (span) => {
        try {
          return await work({
            rename: (next) => void span.updateName(next),
            note: (more) => void span.setAttributes(more),
          });
        } catch (error) {
          // Only the error's class: a message may name people.
          span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      },
    );

async function loadPackages() {
  try {
    const [api, sdk, { resourceFromAttributes }, { OTLPTraceExporter }, { UndiciInstrumentation }] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/instrumentation-undici'),
    ]);
    const { NodeTracerProvider, BatchSpanProcessor } = sdk;
    return {
      api,
      NodeTracerProvider,
      BatchSpanProcessor,
      OTLPTraceExporter,
      UndiciInstrumentation,
      resourceFromAttributes,
    };
  } catch (cause) {
    throw new ConfigError(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, and the optional packages @opentelemetry/… are not installed.',
      {
        cause,
      },
    );
  }
}
