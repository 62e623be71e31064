import { randomUUID } from 'node:crypto';
import { buildVersion } from '../../lib/build-version.js';
import { cutUrl } from '../../lib/cut-url.js';
import { AppError } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import { ConfigError } from '../../lib/start-error.js';
import { type Tracer, useTracer } from '../../lib/traced.js';

/** Time for the last spans to go out when the service stops. */
const flushWithinMs = 2_000;

export interface TracingSettings {
  endpoint: string;
  /** For each request to the collector. */
  headers: Readonly<Record<string, string>>;
  resource: Readonly<Record<string, string>>;
}

/**
 * Sends spans for requests, commands, presses, syncs, deliveries and outgoing calls to an OpenTelemetry collector (OTLP
 * over HTTP, JSON). Without settings, no such package is loaded except `api`, which prom-client needs. Returns the
 * function that ends it. @throws ConfigError if the optional packages are not installed
 */
export async function startTracing(settings: TracingSettings | undefined): Promise<() => Promise<void>> {
  if (settings === undefined) return async () => {};
  const {
    api,
    NodeTracerProvider,
    BatchSpanProcessor,
    OTLPTraceExporter,
    UndiciInstrumentation,
    resourceFromAttributes,
  } = await loadPackages();
  const { version, commit } = buildVersion();
  const instance = { 'service.version': version, 'service.instance.id': randomUUID() };
  const resource = { ...instance, 'vcs.ref.head.revision': commit, ...settings.resource };
  const exporter = new OTLPTraceExporter({ url: `${settings.endpoint}/v1/traces`, headers: { ...settings.headers } });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes(resource),
    spanProcessors: [new BatchSpanProcessor(exporter, { exportTimeoutMillis: flushWithinMs })],
  });
  // Without a propagator: Discord, Roblox and subscribers receive no trace ids.
  provider.register({ propagator: null });
  const calls = new UndiciInstrumentation({
    // `doctor` asks this process whether it is alive.
    ignoreRequestHook: ({ method, path }) => method === 'GET' && path === '/healthz',
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
type SpanContext = import('@opentelemetry/api').SpanContext;

function tracerOf(api: Api, spans: ReturnType<Api['trace']['getTracer']>): Tracer {
  const { SpanKind, SpanStatusCode, context, trace } = api;
  return {
    ids() {
      const { traceId, spanId } = trace.getActiveSpan()?.spanContext() ?? {};
      return traceId === undefined || spanId === undefined ? undefined : { trace_id: traceId, span_id: spanId };
    },
    traced({ name, kind, attributes = {}, traceparent }, work) {
      const options = { kind: kind === 'server' ? SpanKind.SERVER : SpanKind.INTERNAL, attributes };
      const caller = contextOf(api, traceparent);
      const within = caller === undefined ? context.active() : trace.setSpanContext(context.active(), caller);
      return spans.startActiveSpan(name, options, within, async (span) => {
        try {
          return await work({
            rename: (next) => void span.updateName(next),
            note: (more) => void span.setAttributes(more),
          });
        } catch (error) {
          // Only the error's class: a message may name people.
          span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
          if (!isRefusal(error)) span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
    },
  };
}

/** A refusal is an answer, and no error in the span. */
const isRefusal = (error: unknown): boolean => error instanceof AppError && error.kind !== 'unavailable';

/** The caller's span by W3C Trace Context; undefined if there is none. A later version may have more parts. */
function contextOf({ isSpanContextValid }: Api, traceparent: string | undefined): SpanContext | undefined {
  const found = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?=-|$)/.exec(traceparent ?? '');
  const [, traceId = '', spanId = '', flags = ''] = found ?? [];
  const caller = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(caller) ? caller : undefined;
}

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
