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
}

/** Runs work within its own span. The span ends with the work, and records its error. */
export type Tracer = <T>(start: SpanStart, work: (span: Span | undefined) => Promise<T>) => Promise<T>;

let tracer: Tracer | undefined;

/** Sets the tracer of this process; undefined ends tracing. */
export function useTracer(next: Tracer | undefined): void {
  tracer = next;
}

/** Runs work within a span if tracing is on; otherwise it is a plain call. */
export const traced: Tracer = (start, work) => (tracer === undefined ? work(undefined) : tracer(start, work));
