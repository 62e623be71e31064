import { eachPart } from '../../lib/patient-work.js';
import { minuteMs } from '../../lib/time.js';
import { standing } from '../../platforms/jobs/standing.js';
import { endKilledProofs } from './killed-proofs.js';
import { settleTransfers } from './transfers.js';

/** Verifications left by a killed process between link and completion, and account transfers without an objection. */
standing({
  name: 'settle-verifications',
  everyMs: minuteMs,
  atStart: false,
  async run(signal) {
    await eachPart(
      signal,
      () => endKilledProofs(signal),
      () => settleTransfers(signal),
    );
  },
});
