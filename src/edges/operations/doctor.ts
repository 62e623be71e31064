import { logger } from '../../lib/logger.js';
import { hourMs } from '../../lib/time.js';
import { checkPermissions, checkSignIn, checkToken } from './check-discord.js';
import { checkClock, checkDatabase, checkDisk, checkPublicUrl } from './check-host.js';
import { checkKey, checkOAuthApp } from './check-roblox.js';
import { checkStripe } from './check-stripe.js';
import { type Check, type Finding, unknown } from './finding.js';

/** Everything that `rolelink doctor` looks at, in its order, but for the database, which each caller has its own way to. */
export const checks: readonly Check[] = [
  checkToken,
  checkSignIn,
  checkPermissions,
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
    return [unknown(`could not be checked: ${error instanceof Error ? error.message : String(error)}`)];
  });
}

const isTrouble = ({ state }: Finding): boolean => state === 'warning' || state === 'fault';
let troubles: readonly Finding[] = [];

/** The codes of what is wrong with the set-up, as the background has last found it. */
export function setupWarnings(): string[] {
  return troubles.map(({ code }) => code);
}

/**
 * Looks at the set-up now and then every hour: what is newly wrong is logged, with what to do. The function given back ends
 * that.
 */
export function watchSetup(): () => void {
  const look = async (): Promise<void> => {
    const findings = (await Promise.all([...checks, checkDatabase].map(runCheck))).flat().filter(isTrouble);
    const known = new Set(setupWarnings());
    for (const { code, says, todo } of findings.filter((found) => !known.has(found.code)))
      logger.warn({ code, todo }, says);
    troubles = findings;
  };
  void look();
  const timer = setInterval(() => void look(), hourMs).unref();
  return () => clearInterval(timer);
}
