import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { SingleFlight } from '../../lib/single-flight.js';
import { hourMs } from '../../lib/time.js';
import { standing } from '../../platforms/jobs/standing.js';
import { checkPermissions, checkReview, checkSignIn, checkToken } from './check-discord.js';
import { checkClock, checkDatabase, checkDisk, checkPublicUrl } from './check-host.js';
import { checkLinkedRoles } from './check-linked-roles.js';
import { checkRanking } from './check-ranking.js';
import { checkKey, checkOAuthApp } from './check-roblox.js';
import { checkStripe } from './check-stripe.js';
import { type Check, type Finding, unknown } from './finding.js';
import { outageWords } from './outage-words.js';

/** The checks of `rolelink doctor` in order, except the database: each caller reaches it differently. */
export const checks: readonly Check[] = [
  checkToken,
  checkSignIn,
  checkPermissions,
  checkReview,
  checkLinkedRoles,
  checkKey,
  checkRanking,
  checkOAuthApp,
  checkStripe,
  checkDisk,
  checkClock,
  checkPublicUrl,
];

/** A check's findings. Never throws: an unreachable service counts as unknown. */
export async function runCheck({ name, run }: Check): Promise<Finding[]> {
  return run().catch((error: unknown) => {
    logger.debug({ err: error, check: name }, 'check failed');
    const reason = outageWords(error);
    return [unknown(`couldn't be checked: ${reason}`, 'not_checked', { reason })];
  });
}

export interface SetupReport {
  lookedAt: Date;
  checks: { name: string; findings: Finding[] }[];
}

let last: SetupReport | undefined;

/** Checks the installation now. A problem absent from the last check is logged with its remedy. */
async function check(): Promise<SetupReport> {
  const found = [...checks, checkDatabase].map(async (check) => ({
    name: check.name,
    findings: await runCheck(check),
  }));
  const report = { lookedAt: clock.now(), checks: await Promise.all(found) };
  const known = new Set(setupWarnings());
  for (const { code, says, todo } of troublesOf(report).filter((trouble) => !known.has(trouble.code)))
    logger.warn({ code, todo }, says);
  last = report;
  return report;
}

const running = new SingleFlight(check);

/** Checks the installation again; simultaneous callers share one check. */
export const checkSetup = (): Promise<SetupReport> => running.get('setup');

/** The last check's result; runs one if there is none. */
export const lastReport = async (): Promise<SetupReport> => last ?? checkSetup();

const troublesOf = (report: SetupReport): Finding[] =>
  report.checks.flatMap(({ findings }) => findings).filter(({ state }) => state === 'warning' || state === 'fault');

export function setupWarnings(): string[] {
  return last === undefined ? [] : troublesOf(last).map(({ code }) => code);
}

/** The first check comes once the bot has connected. */
standing({
  name: 'check-setup',
  everyMs: hourMs,
  atStart: false,
  inEachProcess: true,
  async run() {
    await checkSetup();
  },
});
