import { expect } from 'chai';
import { createContractChecker } from '../../contracts/contract-checker.js';
import type { ExchangeObserver } from './exchange.js';
import type { RunningSandbox } from './running-sandbox.js';

/** A sandbox that is started before a suite's tests, and stopped behind them. */
export abstract class SandboxFixture<Sandbox extends RunningSandbox> {
  #sandbox: Sandbox | undefined;

  get sandbox(): Sandbox {
    if (!this.#sandbox) throw new Error('The sandbox is not started yet.');
    return this.#sandbox;
  }

  /**
   * Registers the hooks. Every exchange is held to the provider's contract, unless `checked` is false: for suites that
   * send on purpose what no client may send.
   */
  constructor(checked: boolean, start: (watch: { observe?: ExchangeObserver }) => Promise<Sandbox>) {
    const checker = checked ? createContractChecker() : undefined;
    before(async () => {
      this.#sandbox = await start(checker ? { observe: checker.observe } : {});
    });
    afterEach(() => {
      this.sandbox.clearFaults();
      expect(checker?.violations ?? []).to.deep.equal([]);
    });
    after(() => this.sandbox.stop());
  }
}
