import type { FactValue } from '../../src/features/mappings/reported-facts.js';

// The reports by a guild's game, by the service's answers.

/** A fact, with its author's highest role; null: above all. */
interface ToldFact {
  value: FactValue;
  ceilingRoleId: string | null;
}

/** A person's facts by name. */
export type ToldFacts = ReadonlyMap<string, ToldFact>;

export const nothingTold: ToldFacts = new Map();

/** Facts about one account of a person. */
export interface FactState {
  gameUserId: string;
  facts: ToldFacts;
}

/** One request: null takes a fact away. */
export interface GameReport {
  gameUserId: string;
  facts: Readonly<Record<string, FactValue | null>>;
  ceilingRoleId: string | null;
}

export interface GameReports {
  /** Each person's possible states: several after a lost answer, or after a possible end of their link. */
  possible: Map<string, FactState[]>;
  /** Reports without an answer yet: any moment may store them. */
  open: Set<GameReport>;
  /** Everybody with this account now or earlier. */
  everHeldBy: Map<string, Set<string>>;
  /** The link under a person's facts: FACT-7 ends them with it. */
  restingOn: Map<string, string | undefined>;
}

export const noReports = (): GameReports => ({
  ...{ possible: new Map(), open: new Set(), everHeldBy: new Map(), restingOn: new Map() },
});

const noFacts: FactState = { gameUserId: '', facts: nothingTold };

/** All possible facts about the account in a person's use; without one, nothing. */
export function factsAbout(
  { reports }: { reports: GameReports },
  chatUserId: string,
  gameUserId: string | undefined,
): ToldFacts[] {
  const states = reports.possible.get(chatUserId) ?? [noFacts];
  const about = states.map((each) => (each.gameUserId === gameUserId ? each.facts : nothingTold));
  return about.some(({ size }) => size > 0) ? about : [nothingTold];
}

/** The facts from authors of a kind. */
export const factsFrom = (facts: ToldFacts, isCounting: (fact: ToldFact) => boolean): ToldFacts =>
  new Map([...facts].filter(([, fact]) => isCounting(fact)));

/** Notes a report about this person as stored, or, if not surely, as possible. */
export function noteReport(reports: GameReports, id: string, told: readonly GameReport[], isSure: boolean): void {
  const before = reports.possible.get(id) ?? [noFacts];
  const after = before.flatMap((state) => told.map((report) => stateAfter(state, report)));
  setPossible(reports, id, isSure ? after : [...before, ...after]);
}

/** An account has no facts here, as the service said. */
export function noteNone(reports: GameReports, gameUserId: string): void {
  for (const [id, states] of reports.possible)
    setPossible(
      reports,
      id,
      states.map((each) => (each.gameUserId === gameUserId ? noFacts : each)),
    );
}

/** A person's facts may have ended. */
export const noteDoubt = (reports: GameReports, id: string): void =>
  setPossible(reports, id, [...(reports.possible.get(id) ?? []), noFacts]);

function stateAfter(state: FactState, { gameUserId, facts, ceilingRoleId }: GameReport): FactState {
  const after = new Map(state.gameUserId === gameUserId ? state.facts : []);
  for (const [key, value] of Object.entries(facts)) {
    if (value === null) after.delete(key);
    else after.set(key, { value, ceilingRoleId });
  }
  return after.size > 0 ? { gameUserId, facts: after } : noFacts;
}

/** Each state once, with and without the open reports. */
function setPossible(reports: GameReports, id: string, states: readonly FactState[]): void {
  const open = [...reports.open].flatMap((report) => states.map((state) => stateAfter(state, report)));
  reports.possible.set(id, [...new Map([...states, ...open].map((state) => [keyOf(state), state])).values()]);
}

const keyOf = ({ gameUserId, facts }: FactState): string =>
  JSON.stringify([gameUserId, [...facts].toSorted(([a], [b]) => (a < b ? -1 : 1))]);
