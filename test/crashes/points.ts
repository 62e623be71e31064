/** A place where the service writes to the database or calls a platform, in one flow: the `turn`-th such place. */
export interface Point {
  label: string;
  turn: number;
}

const sides = ['before', 'after'] as const;
/** `before`: the call has reached no one. `after`: it is done, and the service has no answer. */
type Side = (typeof sides)[number];

export interface Blow extends Point {
  side: Side;
}

/** Numbers the calls that come by, and strikes at one. */
export class Points {
  #turns = new Map<string, number>();
  #seen: Point[] = [];
  #isCounting = false;
  #blow: Blow | undefined;
  #strike: () => void = () => {};

  /** Restarts the numbering. With a blow, `strike` is called at its place. */
  begin(blow?: Blow, strike: () => void = () => {}): void {
    this.#turns = new Map();
    this.#seen = [];
    this.#blow = blow;
    this.#strike = strike;
    this.#isCounting = true;
  }

  /** Ends it. Returns the points since then. */
  end(): Point[] {
    this.#isCounting = false;
    return this.#seen;
  }

  /** A call is about to be handed on. Gives its place, if it has one; `struck`: it goes nowhere. */
  enter(label: string): Point | 'struck' | undefined {
    if (!this.#isCounting) return undefined;
    const turn = (this.#turns.get(label) ?? 0) + 1;
    this.#turns.set(label, turn);
    const point = { label, turn };
    this.#seen.push(point);
    return this.#hits(point, 'before') ? 'struck' : point;
  }

  /** Its answer is about to be returned. False: the caller is gone. */
  leave(point: Point): boolean {
    return !this.#isCounting || !this.#hits(point, 'after');
  }

  #hits({ label, turn }: Point, side: Side): boolean {
    const blow = this.#blow;
    if (blow === undefined || blow.label !== label || blow.turn !== turn || blow.side !== side) return false;
    this.#isCounting = false;
    this.#strike();
    return true;
  }
}

export const tellBlow = ({ side, label, turn }: Blow): string => `${side} ${label} (${turn})`;

/** Each place's both sides; a reading is the same on both. */
export const blowsAt = (points: readonly Point[]): Blow[] =>
  points.flatMap((point) =>
    (point.label.includes(' GET ') ? sides.slice(0, 1) : sides).map((side) => ({ ...point, side })),
  );
