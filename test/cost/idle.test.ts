import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import mongoose, { type mongo } from 'mongoose';
import { countChangedLinks } from '../../src/features/members/linked-counts.js';
import { forgetWhatIsOwed } from '../support/build.js';
import { world } from '../support/world.js';

const watchedMs = 60_000;

describe('the cost of doing nothing', () => {
  it('is at most 120 commands a minute', async function () {
    this.timeout(3 * watchedMs);
    await world();
    await forgetWhatIsOwed();
    await countChangedLinks(new AbortController().signal);
    await delay(2_000);
    const counts: Record<string, number> = {};
    const note = ({ command, commandName }: mongo.CommandStartedEvent) => {
      const kind = `${commandName} ${String(command.collection ?? command[commandName])}`;
      counts[kind] = (counts[kind] ?? 0) + 1;
    };
    const client = mongoose.connection.getClient();
    client.on('commandStarted', note);
    await delay(watchedMs);
    client.off('commandStarted', note);
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
    expect(all, JSON.stringify(counts)).to.be.at.most(120);
  });
});
