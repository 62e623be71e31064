import { setTimeout as delay } from 'node:timers/promises';
import type { AuditEntry } from '../../src/core/audit/audit-model.js';
import type { Answer, ModelService, ServiceDoor } from '../model/model-service.js';
import { eventually } from '../support/build.js';

/** Longer than a killed process's work takes to be found and ended by the other. */
const endedWithinMs = 150_000;
const ofAccounts = /^\/api\/(verification|auth)\//;
/** No answer came, and the person's accounts are unknown: the model asks for them later. */
const unknown: Answer = { status: 599, body: {} };

/** A change that was answered as done. */
interface Acknowledged {
  requestId: string;
  method: string;
  path: string;
}

/** Two processes on one database, asked by turns. What a kill leaves unanswered is looked up, or asked again. */
export class TwoServices implements ServiceDoor {
  readonly acknowledged: Acknowledged[] = [];
  /** Requests that a kill cut: found done, sent again, or left to be asked for. */
  readonly lost = { done: 0, again: 0, unknown: 0 };
  #serial = 0;
  /** Those that take requests, and how often each was killed. */
  readonly #ready = new Set<ModelService>();
  readonly #deaths = new Map<ModelService, number>();

  constructor(
    readonly both: readonly [ModelService, ModelService],
    private readonly name: string,
  ) {}

  get db(): ModelService['db'] {
    return this.both[0].db;
  }

  get isRunning(): boolean {
    return this.both.some(({ isRunning }) => isRunning);
  }

  get now(): ModelService['now'] {
    return this.both[0].now;
  }

  get isCut(): boolean {
    return false;
  }

  /** Callers wait until one process is there. */
  get answers(): boolean {
    return true;
  }

  get url(): string {
    return (this.both.find(({ isRunning }) => isRunning) ?? this.both[0]).url;
  }

  start = async (): Promise<void> => {
    for (const each of this.both) if (!each.isRunning) await this.startOne(each);
  };
  async startOne(service: ModelService): Promise<void> {
    await service.start({ isAlone: false });
    this.#ready.add(service);
  }
  async killOne(service: ModelService): Promise<void> {
    this.#ready.delete(service);
    this.#deaths.set(service, this.#deathsOf(service) + 1);
    await service.kill();
  }
  isReady = (service: ModelService): boolean => this.#ready.has(service);
  #deathsOf = (service: ModelService): number => this.#deaths.get(service) ?? 0;
  connected = () => this.#each((each) => each.connected());
  kill = () => this.#each((each) => this.killOne(each));
  async terminate(): Promise<number | null> {
    const [first] = await Promise.all(this.both.map((each) => each.terminate()));
    return first ?? null;
  }
  cutDatabase = (): void => this.both.forEach((each) => void each.cutDatabase());
  mendDatabase = (): void => this.both.forEach((each) => void each.mendDatabase());
  pass = (seconds: number) => this.#each((each) => each.pass(seconds));
  setClock = (seconds: number) => this.#each((each) => each.setClock(seconds));
  /** One after the other: a job that one process alone does is done by the first. */
  async runStanding(wish: { daily?: boolean } = {}): Promise<void> {
    for (const each of this.both) await each.runStanding(wish);
  }
  standing = () => this.both[0].standing();
  async runJobs(names: string[]): Promise<void> {
    for (const each of this.both) await each.runJobs(names);
  }
  measure = () => this.both[0].measure();
  allowRanking = (groupId: string) => this.#each((each) => each.allowRanking(groupId));
  watchRanks = () => this.both[0].watchRanks();
  forgetSession = (id: string): void => this.both.forEach((each) => void each.forgetSession(id));
  async isIdle(...wish: Parameters<ModelService['isIdle']>): Promise<boolean> {
    const running = this.both.find(({ isRunning }) => isRunning);
    return running !== undefined && (await running.isIdle(...wish));
  }
  owed = () => this.both[0].owed();
  wipe = () => this.both[0].wipe();
  close = () => this.#each((each) => each.close());

  async #each(work: (each: ModelService) => Promise<void>): Promise<void> {
    await Promise.all(this.both.map(work));
  }

  /** Always gives a process's answer, or that of the log; 599 for a change of accounts that is uncertain. */
  async ask(...[person, method, path, body]: Parameters<ModelService['ask']>): Promise<Answer> {
    this.#serial += 1;
    const requestId = `${this.name}-${this.#serial}`;
    for (let turn = this.#serial, cut = false; ; turn += 1) {
      const service = this.both[turn % 2] ?? this.both[0];
      if (!this.#ready.has(service)) {
        await delay(20);
        continue;
      }
      const deaths = this.#deathsOf(service);
      const answer = await service.ask(person, method, path, body, requestId);
      if (answer.status > 0) {
        this.#note({ requestId, method, path }, answer);
        return cut ? asDone(method, answer) : answer;
      }
      await eventually(() => this.#deathsOf(service) > deaths, 'the end of a process');
      if (method === 'GET') continue;
      cut = true;
      const known = ofAccounts.test(path) ? unknown : await this.#find({ requestId, method, path });
      if (known === unknown) this.lost.unknown += 1;
      else if (known !== undefined) this.lost.done += 1;
      else this.lost.again += 1;
      if (known !== undefined) return this.#note({ requestId, method, path }, known);
    }
  }

  #note(change: Acknowledged, answer: Answer): Answer {
    if (change.method !== 'GET' && answer.status >= 200 && answer.status < 300) this.acknowledged.push(change);
    return answer;
  }

  /** The answer that a change would have got, by its entry; undefined: it was not made. */
  async #find({ requestId, method, path }: Acknowledged): Promise<Answer | undefined> {
    const [, guildId] = /\/guilds\/(\d+)/.exec(path) ?? [];
    const open = { guildId, changing: { $exists: true } };
    const isOver = async () => (await this.db.collection('settings').findOne(open)) === null;
    await eventually(isOver, 'the end of a change of rules', endedWithinMs);
    const [entry] = await this.entriesOf(requestId);
    if (entry === undefined) return undefined;
    const status =
      method === 'DELETE'
        ? 204
        : method === 'PUT' || /suspend$/.test(path)
          ? 200
          : /\/mappings$/.test(path)
            ? 201
            : 202;
    return { status, body: { mappingId: entry.target.id, importId: entry.target.id } };
  }

  /** The entries of a request, in the log or on their way to it. */
  async entriesOf(requestId: string): Promise<AuditEntry[]> {
    const log = await this.db.collection<AuditEntry>('audit_log').find({ requestId }).toArray();
    if (log.length > 0) return log;
    const carried = { 'outbox.entry.requestId': requestId };
    for (const { collectionName } of await this.db.collections()) {
      const holder = await this.db.collection(collectionName).findOne(carried);
      const outbox: { entry?: AuditEntry }[] = holder?.outbox ?? [];
      const found = outbox.flatMap(({ entry }) => (entry?.requestId === requestId ? [entry] : []));
      if (found.length > 0) return found;
    }
    return [];
  }
}

/** A thing gone at the second try was removed by the first, or by another change: that acknowledges nothing. */
const asDone = (method: string, answer: Answer): Answer =>
  method === 'DELETE' && answer.status === 404 ? { ...answer, status: 204 } : answer;
