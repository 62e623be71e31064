/** What a span may be given when its work is done or on its way. */
interface Span {
  rename(name: string): void;
  note(attributes: Readonly<Record<string, string | number>>): void;
}

interface SpanStart {
  name: string;
  /** `server` for a request that came in; `internal` otherwise. */
  kind: 'server' | 'internal';
  attributes?: Readonly<Record<string, string | number>>;
}

/** Runs work within a span of its own. The span ends with the work, and notes what it throws. */
export type Tracer = <T>(start: SpanStart, work: (span: Span | undefined) => Promise<T>) => Promise<T>;

let tracer: Tracer | undefined;

/** Sets the tracer of this process; undefined ends tracing. */
export function useTracer(next: Tracer | undefined): void {
  tracer = next;
}

/** Runs work within a span, if the process traces; else it is a plain call. */
export const traced: Tracer = (start, work) => (tracer === undefined ? work(undefined) : tracer(start, work));
