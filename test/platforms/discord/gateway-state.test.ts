import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { IntentsBitField } from 'discord.js';
import { metrics } from '../../../src/lib/metrics.js';
import { gatewayReady } from '../../../src/platforms/discord/gateway-state.js';
import { eventually } from '../../support/build.js';
import { type LoggedLine, linesOf } from '../../support/logged-lines.js';
import { type World, world } from '../../support/world.js';

// DISC-45
describe('The state of the gateway', () => {
  let discord: World['discord'];

  before(async () => {
    ({ discord } = await world());
  });

  const countOf = async (change: string): Promise<number> => {
    const body = await metrics.metrics();
    const line = new RegExp(`rolelink_gateway_changes_total\\{change="${change}",shard="0"\\} (\\d+)`);
    return Number(line.exec(body)?.[1] ?? 0);
  };
  /** The log until the connection is back after `loss`, with each change's number. */
  const around = async (loss: () => void, back: 'ready' | 'resumed') => {
    const [lost, again] = [await countOf('lost'), await countOf(back)];
    const lines = await linesOf(async () => {
      loss();
      await eventually(async () => (await countOf(back)) > again, `the gateway to be ${back}`);
      await eventually(gatewayReady, 'the gateway');
    });
    const told = lines.filter(({ msg }) => msg.startsWith('gateway '));
    return { told, lost: (await countOf('lost')) - lost, back: (await countOf(back)) - again };
  };
  const shown = ({ level, msg, shard }: LoggedLine) => ({ level, msg, shard });
  const wasLost = { level: 40, msg: 'gateway lost', shard: 0 };

  it('A gateway connection that is lost and resumed is logged and counted', async () => {
    const { told, ...counted } = await around(() => discord.dropGateway(), 'resumed');
    expect(told.map(shown)).to.deep.include.members([wasLost, { level: 30, msg: 'gateway resumed', shard: 0 }]);
    expect(counted.lost).to.be.at.least(1);
    expect(counted.back).to.equal(1);
  });

  it('A gateway connection for which Discord wants another session is logged and counted', async () => {
    const { told, ...counted } = await around(() => discord.invalidateSessions(), 'ready');
    expect(told.map(shown)).to.deep.include.members([wasLost, { level: 30, msg: 'gateway ready', shard: 0 }]);
    expect(counted.lost).to.be.at.least(1);
    expect(counted.back).to.equal(1);
  });

  // DISC-43
  it('The bot listens to guilds with their roles, to members, and to nothing else', () => {
    const intents = new IntentsBitField(container.client.options.intents);
    expect(intents.toArray()).to.have.members(['Guilds', 'GuildMembers']);
  });

  it('/metrics shows how many shards are connected to the gateway', async () => {
    const shards = async () =>
      [...(await metrics.metrics()).matchAll(/rolelink_gateway_shards\{state="(\w+)"\} (\d+)/g)].map(
        ([, state, count]) => `${state} ${count}`,
      );
    expect(await shards()).to.deep.equal(['connected 1', 'all 1']);
    discord.dropGateway(1_000);
    await eventually(async () => (await shards()).includes('connected 0'), 'the loss');
    await eventually(gatewayReady, 'the gateway');
  });
});
