import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { Status } from 'discord.js';
import { metrics } from '../../../src/lib/metrics.js';
import { privateWords } from '../../commands/private-answer.js';
import { buildGuild, buildMember, eventually, type TestGuild } from '../../support/build.js';
import { linesOf } from '../../support/logged-lines.js';
import { type World, world } from '../../support/world.js';

const dropped = 'gateway event dropped: it could not be parsed';

// DISC-44
describe('Gateway events that discord.js cannot digest', () => {
  let discord: World['discord'];
  let guild: TestGuild;
  let undo = (): void => undefined;

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    guild = await buildGuild();
  });
  afterEach(() => undo());

  /** Spoils every event by that name. */
  const spoil = (name: string, change: (data: Record<string, unknown>) => unknown): void => {
    undo = discord.reshapeEvents((event, data) => (event === name ? change(Object(data)) : data));
  };
  const isStillServed = async (): Promise<void> => {
    const member = await buildMember(guild, { linked: false });
    expect(await privateWords(discord.command(guild.guildId, member.chatUserId, 'account'))).to.not.equal('');
  };
  /** A reply that is logged, and that no answer comes to. */
  const droppedEvents = async (work: () => Promise<unknown>, event: string) =>
    linesOf(async () => {
      const before = await droppedSoFar(event);
      await work();
      await eventually(async () => (await droppedSoFar(event)) > before, 'the dropped event');
    });
  const droppedSoFar = async (event: string): Promise<number> => {
    const body = await metrics.metrics();
    return Number(
      new RegExp(`rolelink_gateway_events_dropped_total\\{event="${event}"\\} (\\d+)`).exec(body)?.[1] ?? 0,
    );
  };

  it('A press on a message with a claimed thread is logged without its content and dropped', async () => {
    await discord.command(guild.guildId, guild.ownerId, 'panel');
    const message = await eventually(() => discord.messages(discord.channel(guild.guildId).id)[0], 'the panel');
    let token = '';
    spoil('INTERACTION_CREATE', (data) => {
      token = String(data.token);
      return { ...data, message: { ...Object(data.message), thread: null } };
    });
    // No process answers it: the sandbox gives it up long after it was dropped.
    const press = async () =>
      void discord.press(guild.guildId, guild.ownerId, message, 'Verify').catch(() => undefined);
    const lines = await droppedEvents(press, 'INTERACTION_CREATE');
    const told = lines.find(({ msg }) => msg === dropped);
    expect(told).to.include({ level: 50, event: 'INTERACTION_CREATE' });
    expect(told?.err).to.include({ type: 'TypeError' });
    expect(token).to.not.equal('');
    expect(JSON.stringify(lines)).to.not.contain(token);
    undo();
    await isStillServed();
  });

  for (const [event, act] of [
    ['GUILD_MEMBER_UPDATE', () => discord.setNickname(guild.guildId, guild.ownerId, 'Renamed')],
    ['GUILD_ROLE_CREATE', () => discord.addRole(guild.guildId, { name: 'New' })],
    ['GUILD_UPDATE', () => discord.renameGuild(guild.guildId, 'Renamed')],
  ] as const) {
    it(`A ${event} event without any content is dropped, and the bot continues`, async () => {
      spoil(event, () => null);
      await droppedEvents(async () => act(), event);
      undo();
      await isStillServed();
    });
  }

  it('A broken gateway event is dropped also when it waited until all shards were ready', async () => {
    const { ws } = container.client;
    Object.assign(ws, { status: Status.Idle });
    spoil('GUILD_ROLE_CREATE', () => null);
    const lines = await droppedEvents(async () => {
      discord.addRole(guild.guildId, { name: 'Early' });
      const isSpoiled = ({ packet }: { packet: { t: string; d: unknown } }) =>
        packet.t === 'GUILD_ROLE_CREATE' && packet.d === null;
      await eventually(() => Reflect.get(ws, 'packetQueue').some(isSpoiled), 'the queue');
      Object.assign(ws, { status: Status.Ready });
      undo();
      discord.addRole(guild.guildId, { name: 'Later' });
    }, 'GUILD_ROLE_CREATE');
    expect(lines.map(({ msg }) => msg)).to.include(dropped);
    await isStillServed();
  });
});
