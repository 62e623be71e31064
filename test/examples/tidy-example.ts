import type { Example } from '../../src/edges/http/openapi/openapi-examples.js';

// What differs from one recording run to the next, and what looks like a secret, is replaced by what is the same every
// time. Nothing that a sandbox gives out is a real secret, but nobody has to find that out.

const base = Date.parse('2026-01-15T12:00:00.000Z');
const secret = (length: number): string => 'EXAMPLE_'.repeat(8).slice(0, length);

const formats: readonly [RegExp, (found: string, nth: number, [part]: string[]) => string][] = [
  [/https?:\/\/127\.0\.0\.1:9\b/g, () => 'https://hooks.example'],
  [/\b127\.0\.0\.1:9\b/g, () => 'hooks.example'],
  [/rlk_[\w-]+\.[\w-]+\.[\w-]+/g, () => 'rlk_eyJhbGciOiJIUzI1NiJ9.eyJleGFtcGxlIjp0cnVlfQ.RVhBTVBMRQ'],
  [/whsec_[A-Za-z0-9+/]{43}=/g, () => `whsec_${Buffer.from(secret(32)).toString('base64')}`],
  [/\b(map|whk|dlv|job|tok|log|evt)_[0-9a-f]{24}\b/g, (_, nth, [prefix]) => `${prefix}_${serial(nth, 24)}`],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (_, nth) => `00000000-0000-4000-8000-${serial(nth, 12)}`],
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, () => secret(43)],
  [/(?<!\d)[1-9]\d{16,19}(?!\d)/g, (_, nth) => `1${serial(nth, 17)}`],
  [/\b(?:cs|cus|sub|bps)_\w{8,}/g, (found) => `${found.split('_')[0]}_example`],
];

const serial = (nth: number, length: number): string => String(nth + 1).padStart(length, '0');

/** Makes one run's examples alike every other's. The same id stays the same in all. */
export class Tidying {
  readonly #began = Date.now();
  readonly #seen = formats.map(() => new Map<string, string>());

  /** `hosts`: the service's and the sandboxes' addresses, with their replacements. */
  constructor(private readonly hosts: Readonly<Record<string, string>>) {}

  example(example: Example): Example {
    return JSON.parse(JSON.stringify(shortened(example), (key, value) => this.#value(key, value)));
  }

  #value(key: string, value: unknown): unknown {
    if (typeof value === 'number' && /Ms$|Bytes$|Seconds$/.test(key)) return 42;
    if (typeof value !== 'string') return value;
    if (key === 'phrase') return 'Rolelink apple river candle garden window';
    if (key === 'code' && /^[A-Z\d]{6}$/.test(value)) return 'KX7TQ4';
    if (key === 'commit') return '0123456789ab';
    if (key === 'nodeVersion') return 'v20.19.0';
    return this.#text(value);
  }

  #text(text: string): string {
    const moved = text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) => this.#time(time));
    const hosted = Object.entries(this.hosts).reduce((all, [host, instead]) => all.replaceAll(host, instead), moved);
    return formats.reduce((all, [format, replacement], index) => {
      const seen = this.#seen[index] ?? new Map<string, string>();
      return all.replaceAll(format, (found: string, ...rest: unknown[]) => {
        const known = seen.get(found) ?? replacement(found, seen.size, rest.map(String));
        seen.set(found, known);
        return known;
      });
    }, hosted);
  }

  /** As far from noon as it was from the beginning, to the minute. */
  #time(time: string): string {
    const minutes = Math.round((Date.parse(time) - this.#began) / 60_000);
    return new Date(base + minutes * 60_000).toISOString();
  }
}

const mostItems = 2;
const longestText = 600;

/** Lists with one item a day, which stay whole. */
const ofDays: ReadonlySet<string> = new Set(['series', 'holding']);

/** Two items are enough for another list, and a few lines for a text. */
function shortened<T>(value: T): T;
function shortened(value: unknown): unknown {
  if (typeof value === 'string' && value.length > longestText) {
    return value.slice(0, value.lastIndexOf('\n', longestText) + 1) || value;
  }
  if (Array.isArray(value)) return value.slice(0, mostItems).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, ofDays.has(key) ? part : shortened(part)]),
  );
}
