import { basename } from 'node:path';
import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { awaited, currentLane, inLane, type Lane } from '../../src/lib/lane.js';
import { keyed } from '../../src/platforms/jobs/keyed.js';
import { closeRuns, jobsRunning, openRuns } from '../../src/platforms/jobs/runs.js';
import { privateAnswer, privateWords } from '../commands/private-answer.js';
import { readSources } from '../structure/source-files.js';
import { buildGuild, buildMember, eventually } from '../support/build.js';
import { world } from '../support/world.js';
import { allRoutes } from './http/http-setup.js';

/** Lanes for requests over HTTP other than the one for reads. */
const lanesOfRoutes: Record<string, Lane> = {
  'DELETE /api/guilds/:guildId/members/:memberId/link': 'single',
  'DELETE /api/verification/unlink': 'press',
  'GET /api/auth/callback': 'press',
  'GET /verify/:token': 'press',
  'GET /verify/:token/discord': 'press',
  'GET /verify/callback': 'press',
  'POST /api/guilds/:guildId/members/:memberId/resync': 'single',
  'POST /api/guilds/:guildId/members/left-out': 'single',
  'POST /api/guilds/:guildId/members/undo-unlink': 'single',
  'POST /api/guilds/:guildId/members/unlink': 'single',
  'POST /api/guilds/:guildId/groups/:groupId/join-requests': 'single',
  'POST /api/guilds/:guildId/groups/:groupId/ranks': 'single',
  'POST /api/guilds/:guildId/groups/:groupId/ranks/:changeId/undo': 'single',
  'POST /api/guilds/:guildId/groups/:groupId/ranks/many': 'single',
  'POST /api/guilds/:guildId/people/import': 'bulk',
  'POST /api/guilds/:guildId/verification/game-codes/redeem': 'press',
  'POST /api/verification/complete': 'press',
  'POST /api/verification/retry': 'press',
  'POST /api/verification/session': 'press',
  'POST /verify/:token': 'press',
};

/** The places that state a lane for work that is no request. */
const lanesOfPlaces: Record<string, string[]> = {
  'src/edges/interactions/join-message.ts': ["inLane('single'"],
  'src/edges/interactions/serve-interaction.ts': ["awaited('press'"],
  'src/edges/interactions/suggestions.ts': ["awaited('press'"],
  'src/features/log-channel/log-channel.ts': ["inLane('bulk'"],
  'src/features/people-import/people-import-review.ts': ["inLane('bulk'"],
  'src/features/privacy/erasure.ts': ["inLane('single'"],
  'src/features/ranking/rank-settling.ts': ["inLane('single'"],
  'src/features/sync/preview/preview-run.ts': ["inLane('bulk'"],
  'src/features/sync/resync/resync-worker.ts': ["inLane('bulk'"],
  'src/features/sync/resync/switch-undo.ts': ["inLane('bulk'"],
  'src/platforms/discord/event-listener.ts': ["inLane('single'"],
};

// SYNC-37
describe('The lanes of every entry', () => {
  it('Every request is read in the lane of reads, but for verifications, single syncs and an import', () => {
    const found = Object.fromEntries(
      allRoutes().flatMap(({ options: { endpoint, lane = 'read' } }) => (lane === 'read' ? [] : [[endpoint, lane]])),
    );
    expect(found).to.deep.equal(lanesOfRoutes);
  });

  it('Every place that states a lane is known, so that no work goes before others unnoticed', () => {
    const found = Object.fromEntries(
      readSources('src', 'commands', 'listeners', 'routes').flatMap(({ path, text }) => {
        const stated = text.match(/\b(?:inLane|awaited)\('\w+'/g) ?? [];
        return stated.length === 0 ? [] : [[path, stated]];
      }),
    );
    expect(found).to.deep.equal(lanesOfPlaces);
  });

  it('Commands without options, buttons and menus make their calls to Discord as presses, whose answer a person awaits', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const { chatUserId } = await buildMember(guild);
    const lanes = new Map<string, Set<string>>();
    let running = '';
    const note = ({ path }: { path: string }) => {
      if (!path.includes(guild.guildId)) return;
      const { lane, isAwaited } = currentLane();
      lanes.set(running, (lanes.get(running) ?? new Set()).add(`${lane}, ${isAwaited ? 'awaited' : 'unattended'}`));
    };
    container.client.rest.on('response', note as never);
    try {
      for (const command of ['account', 'help', 'privacy', 'setup', 'unlink', 'update', 'verify', 'settings view']) {
        running = command;
        await privateWords(discord.command(guild.guildId, command === 'update' ? chatUserId : guild.ownerId, command));
      }
      running = 'a button';
      const page = await privateAnswer(discord.command(guild.guildId, guild.ownerId, 'setup'));
      lanes.delete(running);
      await discord.press(guild.guildId, guild.ownerId, page, 'Continue without a group').then((one) => one.reply());
      running = 'a menu';
      const { id: roleId } = discord.addRole(guild.guildId, { name: 'Low', position: 1 });
      await discord.select(guild.guildId, guild.ownerId, page, 'setup:verified', [roleId]).then((one) => one.reply());
    } finally {
      container.client.rest.off('response', note as never);
    }
    expect([...lanes.keys()]).to.include('update');
    for (const [command, found] of lanes) expect([...found], command).to.deep.equal(['press, awaited']);
  });

  it('Every press goes through a shape that serves it as a press, every command too, and no piece is a context menu', () => {
    const pieces = readSources('commands', 'listeners');
    const shapeOf = (text: string) =>
      /^export const \w+ = (\w+)\(|^export class \w+ extends (\w+)/m.exec(text)?.slice(1);
    const shapes = (folder: RegExp) =>
      new Set(pieces.flatMap(({ path, text }) => (folder.test(path) ? (shapeOf(text) ?? [path]).filter(Boolean) : [])));
    expect([...shapes(/^listeners\/(press|select|submit)-/)]).to.have.members([
      'button',
      'directButton',
      'form',
      'menu',
    ]);
    expect([...shapes(/^commands\//)]).to.have.members(['guildCommand', 'GuildCommand']);
    const served = readSources('src/edges/interactions').flatMap(({ path, text }) =>
      /\b(?:serve|answer)\(\s*interaction\b/.test(text) ? [basename(path)] : [],
    );
    expect(served).to.include.members(['press.ts', 'command-in-guild.ts']);
    expect(
      pieces
        .filter(({ text }) => /ContextMenuCommandBuilder|registerContextMenuCommand|contextMenuRun/.test(text))
        .map(({ path }) => path),
    ).to.deep.equal([]);
  });

  it('A job runs in the lane of bulk work, whoever wakes it', async () => {
    const lanesOfRuns: Lane[] = [];
    const job = keyed({
      name: 'lanes-of-entries',
      concurrency: 1,
      run: async () => void lanesOfRuns.push(currentLane().lane),
    });
    const wereRunning = jobsRunning();
    if (!wereRunning) openRuns();
    try {
      await awaited('press', async () => job.wake('one'));
      await eventually(() => lanesOfRuns.length > 0, 'the run');
    } finally {
      if (!wereRunning) await closeRuns(1_000);
    }
    expect(lanesOfRuns).to.deep.equal(['bulk']);
  });

  it('Work that states no lane is bulk work, and an inner lane is awaited by nobody unless it says so', async () => {
    expect(currentLane()).to.include({ lane: 'bulk', isAwaited: false });
    await awaited('press', async () => {
      expect(currentLane()).to.include({ lane: 'press', isAwaited: true });
      await inLane('single', async () => expect(currentLane()).to.include({ lane: 'single', isAwaited: false }));
    });
  });
});
