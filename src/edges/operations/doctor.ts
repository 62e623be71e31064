import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { SharedReads } from '../../lib/shared-reads.js';
import { hourMs } from '../../lib/time.js';
import { checkPermissions, checkSignIn, checkToken } from './check-discord.js';
import { checkClock, checkDatabase, checkDisk, checkPublicUrl } from './check-host.js';
import { checkLinkedRoles } from './check-linked-roles.js';
import { checkKey, checkOAuthApp } from './check-roblox.js';
import { checkStripe } from './check-stripe.js';
import { type Check, type Finding, unknown } from './finding.js';
import { outageWords } from './outage-words.js';

/** Everything that `rolelink doctor` looks at, in its order, but for the database, which each caller has its own way to. */
export const checks: readonly Check[] = [
  checkToken,
  checkSignIn,
  checkPermissions,
  checkLinkedRoles,
  checkKey,
  checkOAuthApp,
  checkStripe,
  checkDisk,
  checkClock,
  checkPublicUrl,
];

/** What a check finds. Never throws: what could not be asked is unknown. */
export async function runCheck({ name, run }: Check): Promise<Finding[]> {
  return run().catch((error: unknown) => {
    logger.debug({ err: error, check: name }, 'not checked');
    const reason = outageWords(error);
    return [unknown(`could not be checked: ${reason}`, 'not_checked', { reason })];
  });
}

/** What each check has found, and when. */
export interface SetupReport {
  lookedAt: Date;
  checks: { name: string; findings: Finding[] }[];
}

let last: SetupReport | undefined;

/** Looks at the set-up now. What is wrong and was not at the last look is logged, with what to do. */
async function look(): Promise<SetupReport> {
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

const looks = new SharedReads(look);

/** Looks at the set-up anew; those who ask at once share a look. */
export const lookAtSetup = (): Promise<SetupReport> => looks.get('setup');

/** The set-up as it was last looked at; looks where nobody has yet. */
export const lastLook = async (): Promise<SetupReport> => last ?? lookAtSetup();

const troublesOf = (report: SetupReport): Finding[] =>
  report.checks.flatMap(({ findings }) => findings).filter(({ state }) => state === 'warning' || state === 'fault');

/** The codes of what is wrong with the set-up, as this process has last found it. */
export function setupWarnings(): string[] {
  return last === undefined ? [] : troublesOf(last).map(({ code }) => code);
}

/** Looks at the set-up now and then every hour. The function given back ends that. */
export function watchSetup(): () => void {
  void lookAtSetup();
  const timer = setInterval(() => void lookAtSetup(), hourMs).unref();
  return () => clearInterval(timer);
}
