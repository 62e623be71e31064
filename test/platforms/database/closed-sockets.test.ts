import { channel } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { connectTestDatabase } from '../../support/test-database.js';

describe('Commands on a closed connection', () => {
  const sockets: Socket[] = [];
  const keep = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  let client: mongoose.mongo.MongoClient;
  before(async () => {
    database = await connectTestDatabase();
    channel('net.client.socket').subscribe(keep);
    client = await mongoose.mongo.MongoClient.connect(database.uri);
    await client.db().command({ ping: 1 });
    channel('net.client.socket').unsubscribe(keep);
  });
  after(async () => {
    await client.close();
    await database.close();
  });

  it('A command on a connection that has just ended fails, where the driver alone would wait for good', async () => {
    // Their `close` events come later; the driver takes them for open until then.
    for (const socket of sockets) socket.destroy();
    const pinged = client.db().command({ ping: 1 });
    const outcome = pinged.then(
      () => 'answered',
      () => 'refused',
    );
    expect(sockets).to.have.length.of.at.least(2);
    expect(await Promise.race([outcome, delay(10_000, 'waits')])).to.equal('refused');
    expect(await client.db().command({ ping: 1 })).to.include({ ok: 1 });
  });
});
