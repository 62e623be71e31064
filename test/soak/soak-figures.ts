/** How the service fared at a moment, in ms from the start. */
export interface Sample {
  at: number;
  /** Without what V8 has compiled, which grows for hours as ever more of the code is used often, and not without end. */
  liveMb: number;
  compiledMb: number;
}

const hourMs = 3_600_000;

/** The growth of a memory part in MB an hour: the slope of the line that lies nearest to the samples. */
export function growthOf(samples: readonly Sample[], part: 'liveMb' | 'compiledMb'): number {
  const mean = (of: (sample: Sample) => number): number =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / Math.max(1, samples.length);
  const [at, mb] = [mean((sample) => sample.at), mean((sample) => sample[part])];
  const covariance = mean((sample) => (sample.at - at) * (sample[part] - mb));
  const variance = mean((sample) => (sample.at - at) ** 2);
  return variance === 0 ? 0 : (covariance / variance) * hourMs;
}

/** pino's number for errors. */
const errorLevel = 50;
/** What platforms, networks and databases that are away are called. */
const ofFaults = /unavailable|Mongo|ECONN|EPIPE|socket|timed? ?out|aborted|closed|50[0-9]|429|Unexpected end|JSON/i;

/** The errors in a log: those that follow a fault and speak about one, counted, and all others' lines. */
export function errorsIn(
  log: string,
  faultTimes: readonly number[],
  aftermathMs: number,
): { injected: number; own: string[] } {
  const errors = log.split('\n').flatMap((line) => {
    const { level = 0, time = 0 } = parse(line);
    return level >= errorLevel ? [{ line, time }] : [];
  });
  const isOfFault = ({ line, time }: { line: string; time: number }): boolean =>
    ofFaults.test(line) && faultTimes.some((at) => time >= at && time <= at + aftermathMs);
  const own = errors.filter((error) => !isOfFault(error)).map(({ line }) => line);
  return { injected: errors.length - own.length, own };
}

/** A log line; what is none, as after a crash, is an error from now. */
function parse(line: string): { level?: number; time?: number } {
  if (line.trim() === '') return {};
  try {
    const { level, time } = JSON.parse(line) as { level?: number; time?: number | string };
    return { level: Number(level), time: new Date(time ?? 0).getTime() };
  } catch {
    return { level: errorLevel, time: 0 };
  }
}
