import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { clock } from './clock.js';

export const metrics = new Registry();

/** Each text asks the database several questions, so callers within this time share one. */
const keptMs = 1_000;
let kept: { text: Promise<string>; until: number } | undefined;

/** The metrics in the Prometheus text format, at most a second old. Rejects as a gauge does. */
export function metricsText(): Promise<string> {
  const now = clock.monotonicMs();
  if (kept !== undefined && now < kept.until) return kept.text;
  const text = metrics.metrics();
  kept = { text, until: now + keptMs };
  text.catch(() => {
    kept = undefined;
  });
  return text;
}

/**
 * How often the event loop's delay is measured, in milliseconds; the figures include it. At prom-client's 10 ms, the
 * measurement takes a third of an idle process's CPU time.
 */
const lagMeasuredEveryMs = 100;

collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: lagMeasuredEveryMs });

export const httpDuration = new Histogram({
  name: 'rolelink_http_request_duration_seconds',
  help: 'Time to answer HTTP requests.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10],
  registers: [metrics],
});

export const droppedConnections = new Counter({
  name: 'rolelink_http_dropped_connections_total',
  help: 'Connections refused because there were too many.',
  registers: [metrics],
});

/** Rolelink's own faults. Each place starts at 0: Prometheus sees no increase in a series that begins with 1. */
export const internalErrors = new Counter({
  name: 'rolelink_internal_errors_total',
  help: 'Faults of Rolelink itself, by the place that met them.',
  labelNames: ['place'],
  registers: [metrics],
});

for (const place of ['request', 'interaction', 'sync']) internalErrors.inc({ place }, 0);
