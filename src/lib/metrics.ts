import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export const metrics = new Registry();

/**
 * Interval of measuring the event loop's delay, in milliseconds; the figures include it. At prom-client's 10 ms, the
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
