import { setTimeout as delay } from 'node:timers/promises';
import type { AuditAction } from '../../src/core/audit/audit-actions.js';
import type { Answer } from '../model/model-service.js';
import type { Person, StageGuild } from '../model/stage.js';
import type { CrashStage } from './crash-house.js';

/** A request that changes something, and the entry that it leaves when it is done. */
interface Change {
  requestId: string;
  action: AuditAction;
  /** 0: no answer came. */
  status: number;
}

/** The requests to a service during its stop, and its answers. */
export class StopLoad {
  readonly changes: Change[] = [];
  /** Tokens that were shown, by their text: whether they are revoked; undefined: no answer came. */
  readonly tokens = new Map<string, boolean | undefined>();
  /** The accounts that people have by the service's answers; undefined: no answer came. */
  readonly accounts = new Map<string, string | null | undefined>();
  #answers = 0;
  #serial = 0;

  constructor(private readonly stage: CrashStage) {}

  get answers(): number {
    return this.#answers;
  }

  /** Sends requests one after the other, on many lanes, until the service is stopped. */
  async run(): Promise<void> {
    const [red, blue] = this.stage.confirmed.guilds;
    if (red === undefined || blue === undefined) throw new Error('The stage is empty.');
    const people = this.stage.people.slice(0, 3);
    await Promise.all([
      this.#again(() => this.#changeMappings(red)),
      this.#again(() => this.#changeMappings(blue)),
      this.#again(() => this.#changeTokens(red)),
      ...people.map((person) => this.#again(() => this.#changeAccount(red, person))),
      this.#again(() => this.#look(red)),
    ]);
  }

  async #again(work: () => Promise<unknown>): Promise<void> {
    while (this.stage.service.isRunning) {
      await work();
      // Slower than the request limit.
      await delay(20);
    }
  }

  async #changeMappings(guild: StageGuild): Promise<void> {
    const path = `/api/guilds/${guild.guildId}/mappings`;
    const wish = { condition: { type: 'verified' }, roleIds: [guild.roleIds[3]], enabled: false };
    const { body, status } = await this.#change(guild.owner, 'mapping.created', 'POST', path, wish);
    if (status !== 201) return;
    const one = `${path}/${body.mappingId}`;
    await this.#change(guild.owner, 'mapping.updated', 'PUT', one, { ...wish, roleIds: [guild.roleIds[2]] });
    await this.#change(guild.owner, 'mapping.removed', 'DELETE', one);
  }

  async #changeTokens({ guildId, owner }: StageGuild): Promise<void> {
    const path = `/api/guilds/${guildId}/tokens`;
    const wish = { name: 'bot', role: 'viewer' };
    const { body, status } = await this.#change(owner, 'token.created', 'POST', path, wish);
    const { token: text, tokenId } = body;
    if (status !== 201 || text === undefined) return;
    this.tokens.set(text, false);
    const { status: revoked } = await this.#change(owner, 'token.revoked', 'DELETE', `${path}/${tokenId}`);
    this.tokens.set(text, revoked === 0 ? undefined : revoked === 204);
  }

  /** Proves their own account, has it synced, and removes it. */
  async #changeAccount(guild: StageGuild, person: Person): Promise<void> {
    const { service, roblox } = this.stage;
    const wish = { guildId: guild.guildId, method: 'profile_code' };
    const begun = await service.ask(person, 'POST', '/api/verification/session', wish);
    if (begun.status !== 201) return;
    roblox.setAbout(person.gameUserId, begun.body.phrase ?? '');
    const proof = { token: begun.body.token, gameUsername: roblox.user(person.gameUserId).username };
    const complete = '/api/verification/complete';
    const linked = await this.#change(person, 'verification.completed', 'POST', complete, proof);
    if (linked.status === 200) this.accounts.set(person.id, person.gameUserId);
    else if (linked.status === 0) this.accounts.set(person.id, undefined);
    const member = `/api/guilds/${guild.guildId}/members/${person.id}/resync`;
    if (linked.status !== 200 || (await service.ask(guild.owner, 'POST', member, {})).status === 0) return;
    const { status } = await this.#change(person, 'account.unlinked', 'DELETE', '/api/verification/unlink');
    if (status === 204) this.accounts.set(person.id, null);
    else if (status === 0) this.accounts.set(person.id, undefined);
  }

  async #look({ guildId, owner }: StageGuild): Promise<void> {
    for (const list of ['members', 'mappings', 'logs']) {
      await this.stage.service.ask(owner, 'GET', `/api/guilds/${guildId}/${list}`);
    }
  }

  async #change(person: Person, action: AuditAction, method: string, path: string, body?: object): Promise<Answer> {
    const { service } = this.stage;
    if (!service.isRunning) return { status: 0, body: {} };
    this.#serial += 1;
    const requestId = `stopped-${this.#serial}`;
    const answer = await service.ask(person, method, path, body, requestId);
    this.changes.push({ requestId, action, status: answer.status });
    if (answer.status !== 0) this.#answers += 1;
    return answer;
  }
}
