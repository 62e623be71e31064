import mongoose, { type mongo } from 'mongoose';
import { currentLogContext } from '../../src/lib/logger.js';

// Loaded into a service by `node --import`: kills it with a change made and its log entry about to be put into the log,
// in requests whose id begins with `kill-`.

function killIfMeant({ command }: mongo.CommandStartedEvent): void {
  const isMeant = currentLogContext().requestId?.startsWith('kill-') ?? false;
  if (isMeant && command.insert === 'audit_log') process.kill(process.pid, 'SIGKILL');
}

mongoose.connection.on('connected', () => mongoose.connection.getClient().on('commandStarted', killIfMeant));
