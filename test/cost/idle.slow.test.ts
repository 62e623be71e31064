import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import mongoose, { type mongo } from 'mongoose';
import { forgetPending } from '../support/build.js';
import { world } from '../support/world.js';

const watchedMs = 60_000;
/** Maximum minutes with remaining work from earlier test files. */
const minutes = 4;

describe('The cost of doing nothing', () => {
  it('An idle service sends the database at most 120 commands a minute', async function () {
    this.timeout((minutes + 2) * watchedMs);
    await world();
    await forgetPending();
    await delay(2_000);
    let counts: Record<string, number> = {};
    const note = ({ command, commandName }: mongo.CommandStartedEvent) => {
      const kind = `${commandName} ${String(command.collection ?? command[commandName])}`;
      counts[kind] = (counts[kind] ?? 0) + 1;
    };
    const all = () => Object.values(counts).reduce((sum, count) => sum + count, 0);
    const client = mongoose.connection.getClient();
    client.on('commandStarted', note);
    for (let minute = 0; minute === 0 || (all() > 120 && minute < minutes); minute += 1) {
      counts = {};
      await delay(watchedMs);
    }
    client.off('commandStarted', note);
    expect(all(), JSON.stringify(counts)).to.be.at.most(120);
  });
});
