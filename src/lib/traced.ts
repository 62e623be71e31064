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

/** A span's ids, as log lines name them. */
interface TraceIds {
  trace_id: string;
  span_id: string;
}

export interface Tracer {
  traced: Traced;
  /** The running code's span ids; undefined outside spans. */
  ids(): TraceIds | undefined;
}

let tracer: Tracer | undefined;

/** Sets this process's tracer; undefined ends tracing. */
export function useTracer(next: Tracer | undefined): void {
  tracer = next;
}

/** Runs work within a span if tracing is on; otherwise it is a plain call. */
export const traced: Traced = (start, work) => (tracer?.traced ?? untraced)(start, work);

/** Runs work without its own span. */
export const untraced: Traced = (_start, work) => work(undefined);

/** The current span's ids for log lines; undefined without one. */
export const currentTrace = (): TraceIds | undefined => tracer?.ids();
