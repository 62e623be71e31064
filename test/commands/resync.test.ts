import { expect } from 'chai';
import sinon from 'sinon';
import { defaultSettings } from '../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../src/core/settings/settings-service.js';
import { following } from '../../src/edges/interactions/replies/followed-reply.js';
import { latestResync } from '../../src/features/sync/resync/resync-service.js';
import { buildResyncGuild, memberWrites, type ResyncGuild, resyncEntries } from '../features/sync/resync-setup.js';
import { wordsOf } from '../sandbox/discord/sandbox-message.js';
import { eventually } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { labelsOf, privateAnswer, privateWords } from './private-answer.js';
import { buildDiscordManager, distrustDiscordAdmins, giveTeamRole } from './team.js';

describe('/resync', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];

  before(async () => {
    ({ discord, roblox } = await world());
  });
  afterEach(() => {
    sinon.restore();
    discord.clearFaults();
  });

  const resync = ({ guildId, ownerId }: ResyncGuild, subcommand: string, chatUserId = ownerId) =>
    discord.command(guildId, chatUserId, `resync ${subcommand}`);
  /** Lets one role change through, and holds those behind it. */
  const holdSecond = () => {
    const match = /^PUT .*\/roles\//;
    discord.inject({ match, times: 1 });
    return discord.hold({ match, times: Number.POSITIVE_INFINITY });
  };
  const stateOf = async ({ guildId }: ResyncGuild) => (await latestResync(guildId))?.state;

  async function managerOf(guild: ResyncGuild): Promise<string> {
    const { chatUserId } = await buildDiscordManager(guild, 1);
    await giveTeamRole(guild, chatUserId, 'manager');
    return chatUserId;
  }

  it('/resync edits its progress every five seconds at most, and finally names the place for the rest', async () => {
    const guild = await buildResyncGuild({ count: 8, inStep: 0 });
    holdSecond();
    sinon.stub(following, 'forMs').value(8_000);
    const startedAt = performance.now();
    const started = await resync(guild, 'start');
    const first = await privateAnswer(started);
    expect(first.words).to.equal('**Resync**: starts in a moment.');
    expect(labelsOf(first)).to.deep.equal(['Cancel', 'Open dashboard']);

    const words = wordsOf(await started.replyMatching(/changing/));
    expect(performance.now() - startedAt).to.be.at.least(4_900);
    expect(words).to.match(/^\*\*Resync\*\*: changing roles and nicknames\.\n█+░+ \d+%\n/);
    expect(words).to.match(/\d of 9 members · \d changed · 0 skipped · 0 blocked\nDone <t:\d+:R>$/);

    const last = await started.replyMatching(/^This message is no longer updated\. Use <\/resync status:\d+>/);
    expect(performance.now() - startedAt).to.be.at.least(9_900);
    const cancelled = await privateAnswer(discord.press(guild.guildId, guild.ownerId, last, 'Cancel'));
    expect(cancelled.words).to.contain('cancelled');
    expect(await stateOf(guild)).to.equal('cancelled');
    expect(await memberWrites(guild.guildId)).to.have.length(1);
  });

  it('A second /resync start shows the running one, and /resync cancel stops it', async () => {
    const guild = await buildResyncGuild({ count: 5, inStep: 0 });
    const write = holdSecond();
    const first = await resync(guild, 'start');
    await privateAnswer(first);
    await write.reached;
    const second = await privateWords(resync(guild, 'start'));
    expect(second).to.match(/^A resync is already running:\n\*\*Resync\*\*: changing roles/);
    expect(await privateWords(resync(guild, 'status'))).to.contain('changing roles');
    const cancelled = await privateAnswer(resync(guild, 'cancel'));
    expect(cancelled.words).to.match(/^\*\*Resync\*\*: cancelled\. Changes made so far stay\./);
    expect(labelsOf(cancelled)).to.deep.equal(['Open dashboard']);
    expect(await stateOf(guild)).to.equal('cancelled');
    expect(await privateWords(resync(guild, 'cancel'))).to.equal('No resync is running.');
    write.letGo();
    const entries = await resyncEntries(guild.guildId);
    expect(entries.at(-1)).to.deep.include({ action: 'resync.cancelled' });
    expect(entries.at(-1)?.actor).to.include({ kind: 'user', id: guild.ownerId });
    const told = await first.replyMatching(/cancelled/);
    expect(labelsOf(told), 'the first answer').to.deep.equal(['Open dashboard']);
    expect((await memberWrites(guild.guildId)).length).to.be.at.most(2);
  });

  it('A resync at the brake waits for an admin’s button', async () => {
    const guild = await buildResyncGuild({ count: 3 });
    await writeSettings(guild.guildId, { ...defaultSettings, massRemoval: { people: 2, sharePercent: 30 } });
    for (const { gameUserId } of guild.people) roblox.leaveGroup(guild.groupId, gameUserId);
    await privateWords(resync(guild, 'start'));
    await eventually(async () => (await latestResync(guild.guildId))?.awaitingConfirmation, 'the brake');
    expect(await memberWrites(guild.guildId)).to.deep.equal([]);

    const seen = await privateAnswer(resync(guild, 'status'));
    expect(seen.words).to.match(/3 members \(75%\) would lose roles, so nothing has been changed yet/);
    expect(labelsOf(seen)).to.deep.equal(['Confirm', 'Cancel', 'Open dashboard']);
    const { customId = '' } = seen.buttons[0] ?? {};
    expect(customId).to.match(new RegExp(`^resync-confirm:${(await latestResync(guild.guildId))?._id}:\\d+$`));

    const confirmed = await privateAnswer(discord.press(guild.guildId, guild.ownerId, seen, 'Confirm'));
    expect(labelsOf(confirmed)).to.deep.equal(['Cancel', 'Open dashboard']);
    await eventually(async () => (await stateOf(guild)) === 'completed', 'the end');
    expect((await memberWrites(guild.guildId)).length).to.equal(3);
    const again = await discord.press(guild.guildId, guild.ownerId, seen, customId).catch((error: Error) => error);
    expect(again, 'the button is gone').to.be.instanceOf(Error);
  });

  it('A manager may cancel a resync at the brake, and not confirm it', async () => {
    const guild = await buildResyncGuild({ count: 3 });
    const manager = await managerOf(guild);
    await writeSettings(guild.guildId, {
      ...defaultSettings,
      trustDiscordAdmins: false,
      massRemoval: { people: 2, sharePercent: 30 },
    });
    for (const { gameUserId } of guild.people) roblox.leaveGroup(guild.groupId, gameUserId);
    await privateWords(resync(guild, 'start', manager));
    await eventually(async () => (await latestResync(guild.guildId))?.awaitingConfirmation, 'the brake');
    const seen = await privateAnswer(resync(guild, 'status', manager));
    expect(labelsOf(seen)).to.deep.equal(['Cancel', 'Open dashboard']);
    const cancelled = await privateAnswer(discord.press(guild.guildId, manager, seen, 'Cancel'));
    expect(cancelled.words).to.contain('cancelled');
    expect(await stateOf(guild)).to.equal('cancelled');
    expect(await memberWrites(guild.guildId)).to.deep.equal([]);
  });

  it('/resync requires the team role manager, and viewer for its status', async () => {
    const guild = await buildResyncGuild({ count: 1 });
    const { chatUserId } = await buildDiscordManager(guild, 1);
    await distrustDiscordAdmins(guild);
    await giveTeamRole(guild, chatUserId, 'viewer');
    for (const subcommand of ['start', 'cancel']) {
      const words = await privateWords(resync(guild, subcommand, chatUserId));
      expect(words).to.equal('You need the team role manager in this server.');
    }
    expect(await privateWords(resync(guild, 'status', chatUserId))).to.match(
      /^Roblox ranks .*\. The goal is every 2 minutes\.\nThere was no resync .*\. Start one with <\/resync start:\d+>\.$/,
    );
    expect(await stateOf(guild)).to.equal(undefined);
  });
});
