/** The attributes that a span may get during or after its work. */
interface Span {
  rename(name: string): void;
  note(attributes: Readonly<Record<string, string | number>>): void;
}

interface SpanStart {
  name: string;
  /** `server` for an incoming request; `internal` otherwise. */
  kind: 'server' | 'internal';
  attributes?: Readonly<Record<string, string | number>>;
  /** The caller's `traceparent` (W3C Trace Context): the span continues that trace. */
  traceparent?: string;
}

/** Runs work within its own span. The span ends with the work, and records its error. */
type Traced = <T>(start: SpanStart, work: (span: Span | undefined) => Promise<T>) => Promise<T>;

/** The ids of a span, as log lines name them. */
interface TraceIds {
  trace_id: string;
  span_id: string;
}

export interface Tracer {
  traced: Traced;
  /** The ids of the running code's span; undefined outside spans. */
  ids(): TraceIds | undefined;
}

let tracer: Tracer | undefined;

/** Sets the tracer of this process; undefined ends tracing. */
export function useTracer(next: Tracer | undefined): void {
  tracer = next;
}

/** Runs work within a span if tracing is on; otherwise it is a plain call. */
export const traced: Traced = (start, work) => (tracer?.traced ?? untraced)(start, work);

/** Runs work without a span of its own. */
export const untraced: Traced = (_start, work) => work(undefined);

/** The ids of the current span for log lines; undefined without one. */
export const currentTrace = (): TraceIds | undefined => tracer?.ids();
