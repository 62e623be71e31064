import { expect } from 'chai';
import fc from 'fast-check';
import type { Answer, HttpSide } from '../edges/http/http-setup.js';
import { compilerFor, expectDocumentedAnswer, type OpenApi, type Operation } from '../edges/http/openapi-setup.js';
import { type LoggedLine, onLogLine } from '../support/logged-lines.js';
import type { Known } from './schema-arbitrary.js';
import { asCurl, type Shot, shotsAt } from './shot.js';

/** One operation under test: its address, its caller, and the existing data. */
export interface Target {
  method: string;
  /** With parameters in braces, as in the document. */
  path: string;
  operation: Operation;
  /** The headers for a caller with the right to it; asked before each request. */
  credentials(): Promise<Record<string, string>>;
  known: Known;
  /** A valid body to begin with, in addition to those that are made up; undefined: none is known. */
  example?: unknown;
}

/** The result. */
export interface Outcome {
  requests: number;
  /** How often each status was answered. */
  statuses: Map<number, number>;
  /** The fault that was found, with the shortest request that shows it; undefined: none. */
  fault: string | undefined;
}

/** Throws requests at a document's operations and holds each answer to it. */
export class Fuzzer {
  readonly #compile: ReturnType<typeof compilerFor>;

  constructor(
    readonly http: HttpSide,
    readonly document: OpenApi,
  ) {
    this.#compile = compilerFor(document);
  }

  /** Throws `runs` requests from the random `seed`, as many valid as nearly valid. */
  async fire(target: Target, runs: number, seed: number): Promise<Outcome> {
    const statuses = new Map<number, number>();
    let requests = 0;
    const shots = shotsAt(target, this.document.components.schemas);
    const property = fc.asyncProperty(shots, async (shot) => {
      const answer = await this.#send(target, shot);
      requests += 1;
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      this.judge(target.operation, answer);
    });
    const result = await fc.check(property, { numRuns: runs, seed });
    if (!result.failed) return { requests, statuses, fault: undefined };
    const [shot] = result.counterexample ?? [];
    return {
      requests,
      statuses,
      fault: shot === undefined ? String(result.errorInstance) : await this.#tell(target, shot),
    };
  }

  /** Throws when an answer is the service's fault, or none that the document has. */
  judge(operation: Operation, answer: Answer): void {
    expect(answer.status, answer.text).to.be.below(500);
    expectDocumentedAnswer(operation, answer, this.#compile);
  }

  async #send({ method, credentials }: Target, shot: Shot): Promise<Answer> {
    const headers = Object.assign({}, shot.headers, await credentials());
    const { body } = shot;
    return this.http.send(method, shot.path, { headers, ...(body !== undefined && { body }) });
  }

  /** Repeats a failed request, and reports it with the service's log from that time. */
  async #tell(target: Target, shot: Shot): Promise<string> {
    const errors: string[] = [];
    const stop = onLogLine((line) => {
      const { level, err }: LoggedLine = JSON.parse(line);
      if (level >= errorLevel) errors.push(JSON.stringify(err));
    });
    const answer = await this.#send(target, shot).finally(stop);
    let why = 'not this time';
    try {
      this.judge(target.operation, answer);
    } catch (error) {
      why = String(error);
    }
    return [asCurl(target.method, this.http.url, shot), `${answer.status}: ${why}`, ...errors]
      .map((line) => line.slice(0, longestLine))
      .join('\n  ');
  }
}

const errorLevel = 50;
const longestLine = 3_000;
