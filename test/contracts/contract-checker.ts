import type { Exchange, ExchangeObserver } from '../sandbox/kit/exchange.js';
import { findContractsFolder, loadContracts } from './contract-documents.js';
import { OperationFinder } from './operation-finder.js';
import { RequestCheck } from './request-check.js';
import { ResponseCheck } from './response-check.js';
import { SchemaValidators } from './schema-validators.js';

export interface ContractChecker {
  /** Hand this to a sandbox server: every exchange is checked. */
  observe: ExchangeObserver;
  /** The faults found, each once, in order by first appearance. */
  readonly violations: string[];
  /** How many exchanges were checked. */
  readonly checked: number;
}

/**
 * The checks for one contracts' folder. They keep no state from an exchange, and so serve every checker in the process.
 */
interface Checks {
  finder: OperationFinder;
  requests: RequestCheck;
  responses: ResponseCheck;
}

const checksByFolder = new Map<string, Checks>();

/**
 * Checks both sides in each exchange against the platforms' published contracts: the service's request, and the
 * sandbox's answer. Undefined without the contracts' folder.
 */
export function createContractChecker(): ContractChecker | undefined {
  const folder = findContractsFolder();
  if (folder === undefined) return undefined;
  const checks = checksByFolder.get(folder) ?? loadChecks(folder);
  checksByFolder.set(folder, checks);
  return new Checker(checks);
}

function loadChecks(folder: string): Checks {
  const contracts = loadContracts(folder);
  const validators = new SchemaValidators(contracts);
  return {
    finder: new OperationFinder(contracts),
    requests: new RequestCheck(validators),
    responses: new ResponseCheck(validators),
  };
}

class Checker implements ContractChecker {
  readonly violations: string[] = [];
  checked = 0;
  readonly #known = new Set<string>();
  readonly #checks: Checks;

  constructor(checks: Checks) {
    this.#checks = checks;
  }

  readonly observe = (exchange: Exchange): void => {
    this.checked += 1;
    const { finder, requests, responses } = this.#checks;
    const { host, method, path } = exchange;
    const found = finder.find(host, method, path);
    if (!found) {
      this.#report(`${method} ${host}${path}: is not in any contract`);
      return;
    }
    const complaints = [...requests.complaints(found, exchange), ...responses.complaints(found.operation, exchange)];
    for (const complaint of complaints) this.#report(`${found.operation.label}: ${complaint}`);
  };

  #report(violation: string): void {
    if (this.#known.has(violation)) return;
    this.#known.add(violation);
    this.violations.push(violation);
  }
}
