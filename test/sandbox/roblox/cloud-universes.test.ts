import { expect } from 'chai';
import { RobloxFixture } from './roblox-fixture.js';

// ENV-34, ENV-35
describe('Roblox sandbox: messages to running games', () => {
  const roblox = new RobloxFixture();
  const publish = (universeId: string, body: unknown = { topic: 'rolelink-1', message: '{}' }) =>
    roblox.postJson(`/apis/cloud/v2/universes/${universeId}:publishMessage`, body, {
      'x-api-key': roblox.sandbox.apiKey,
    });
  afterEach(() => roblox.sandbox.mendKey());

  it('The Roblox sandbox hands a message to the subscribers of its topic, and keeps it', async () => {
    const { id } = roblox.sandbox.addUniverse();
    const heard: string[] = [];
    const end = roblox.sandbox.subscribe(id, 'rolelink-1', (message) => heard.push(message));
    roblox.sandbox.subscribe(id, 'rolelink-2', () => expect.fail());
    expect((await publish(id)).status).to.equal(200);
    end();
    await publish(id);
    expect(heard).to.deep.equal(['{}']);
    expect(roblox.sandbox.universe(id).messages).to.have.length(2);
  });

  it('The Roblox sandbox refuses a key without the scope, another account, and an unknown universe', async () => {
    const { id } = roblox.sandbox.addUniverse();
    const foreign = roblox.sandbox.addUniverse({ ownerId: '2' });
    expect((await publish(foreign.id)).status).to.equal(403);
    expect((await publish('4711')).status).to.equal(404);
    roblox.sandbox.setKey({ universeIds: [foreign.id] });
    expect((await publish(id)).status).to.equal(403);
    roblox.sandbox.setKey({ scopes: ['group:read'] });
    expect((await publish(id)).status).to.equal(403);
  });

  it('The Roblox sandbox refuses topics and messages that are too long, counted in bytes', async () => {
    const { id } = roblox.sandbox.addUniverse();
    expect((await publish(id, { topic: 'x'.repeat(81), message: '{}' })).status).to.equal(400);
    expect((await publish(id, { topic: 'x', message: 'x'.repeat(1_024) })).status).to.equal(200);
    expect((await publish(id, { topic: 'x', message: 'é'.repeat(513) })).status).to.equal(400);
  });

  it('The Roblox sandbox takes 50 messages a minute, and 5 for each player', async () => {
    const { id } = roblox.sandbox.addUniverse({ players: 1 });
    const statuses = await Promise.all(Array.from({ length: 57 }, () => publish(id)));
    expect(statuses.filter(({ status }) => status === 200)).to.have.length(55);
    expect(statuses.filter(({ status }) => status === 429)).to.have.length(2);
  });
});
