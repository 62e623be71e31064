import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import type { GuildSettings } from '../../src/core/settings/guild-settings.js';
import { eventually } from '../support/build.js';
import { KillableService } from './killable-service.js';
import { writesByMember } from './resync-crowd.js';

const people = 24;
const patience = 120_000;

interface Move {
  steps: { step: string; state: 'done' | 'now' | 'later' }[];
  people: number;
  mappings: number;
  comparison: { state: string; matching: number; differing: number };
}

// OBS-94, OBS-12, OBS-16
describe('A way from another bot with a kill after each step', () => {
  const house = new KillableService('move_kill');
  let guildId: string;
  let groupId: string;
  let ownerId: string;
  let headers: Record<string, string> | undefined;
  let botRole: string;
  let officer: string;
  /** Every third lacks their rank's role, and every third holds it without the rank. */
  let members: { chatUserId: string; gameUserId: string; holds: boolean; due: boolean }[];

  before(async () => {
    const { discord, roblox } = house;
    ownerId = discord.addUser({ username: 'mover' }).id;
    guildId = discord.addGuild({ name: 'Moving', ownerId, withBot: false }).id;
    officer = discord.addRole(guildId, { name: 'Officer' }).id;
    const permissions = PermissionFlagsBits.ManageRoles;
    botRole = discord.addRole(guildId, { name: 'Bloxlink', permissions, managed: true }).id;
    groupId = roblox.addGroup({ name: 'Moving' }).id;
    members = Array.from({ length: people }, (_, index) => {
      const [holds, due] = [index % 3 !== 0, index % 3 !== 1];
      const { id: chatUserId } = discord.addUser({ username: `moving${index}` });
      const { id: gameUserId } = roblox.addUser({ username: `Moving_${index}` });
      roblox.setRank(groupId, gameUserId, due ? 100 : 1);
      discord.join(guildId, chatUserId, { roleIds: holds ? [officer] : [], nickname: `Name ${index}` });
      return { chatUserId, gameUserId, holds, due };
    });
    discord.addBot(guildId);
    discord.moveRole(guildId, discord.botRole(guildId).id, 3);
    await house.start();
    await house.knowsGuild();
  });

  async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    // The session outlives each kill.
    headers ??= await house.signIn(ownerId);
    const url = `${house.running.url}/api/guilds/${guildId}/${path}`;
    const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    expect(answer.status, `${method} ${path}: ${text}`).to.be.within(200, 299);
    return JSON.parse(text) as Answer;
  }

  let kills = 0;

  /** Does a step, and kills the process as soon as it is acknowledged. */
  async function killedAfter<Answer>(step: Promise<Answer>): Promise<Answer> {
    const answer = await step;
    await house.kill();
    kills += 1;
    await house.start();
    return answer;
  }

  /** Asks once a second: a person has so many requests a minute. */
  const until = (isSo: () => Promise<boolean>, what: string) =>
    eventually(async () => (await isSo()) || delay(1_000, false), what, patience);

  const move = () => ask<Move>('GET', 'move');
  const stateOf = async (step: string) => (await move()).steps.find((each) => each.step === step)?.state;
  const isDone = (step: string) => until(async () => (await stateOf(step)) === 'done', step);
  const seen = () =>
    members.map(({ chatUserId }) => {
      const { roleIds, nickname } = house.discord.member(guildId, chatUserId) ?? {};
      return { holds: roleIds?.includes(officer), nickname };
    });
  const names = Array.from({ length: people }, (_, index) => `Name ${index}`);
  const asIf = (what: 'holds' | 'due') =>
    members.map((member, index) => ({ holds: member[what], nickname: names[index] }));
  const differing = () => members.filter(({ holds, due }) => holds !== due).map(({ chatUserId }) => chatUserId);

  it(`Each acknowledged step of ${people} people is kept, nobody is written to before Go live, and the undo leaves no difference`, async () => {
    const { discord } = house;
    const settings = await ask<GuildSettings>('GET', 'settings');
    const nickname = { ...settings.nickname, enabled: false };
    await killedAfter(ask('PUT', 'settings', { ...settings, mode: 'observe', nickname }));
    expect(await stateOf('observe')).to.equal('done');

    const pairs = members.map(({ chatUserId, gameUserId }) => ({ chatUserId, gameUserId }));
    const { reviewKey } = await ask<{ reviewKey: string }>('POST', 'people/import', { people: pairs });
    await killedAfter(ask('POST', 'people/import', { people: pairs, dryRun: false, reviewKey }));
    await until(async () => (await move()).people === people, 'the people');
    await isDone('people');

    const condition = { type: 'group_rank', groupId, min: 100, max: 255 };
    const rules = { mappings: [{ condition, roleIds: [officer] }], addGroups: true, dryRun: false };
    await killedAfter(ask('POST', 'mappings/import', rules));
    expect((await move()).mappings).to.equal(1);

    await killedAfter(ask('POST', 'resync', {}));
    await until(async () => (await move()).comparison.state === 'done', 'the comparison');
    // The owner matches too.
    const compared = { matching: people + 1 - differing().length, differing: differing().length };
    expect((await move()).comparison).to.include(compared);
    await killedAfter(ask('PATCH', 'move', { passed: ['compare'] }));
    expect(await stateOf('live')).to.equal('now');
    expect([...writesByMember(discord).keys()], 'written before Go live').to.deep.equal([]);
    expect(seen()).to.deep.equal(asIf('holds'));

    const { previewId } = await ask<{ previewId: string }>('POST', 'sync/preview', {});
    discord.inject({ match: /^(PUT|DELETE|PATCH) .*\/members\//, delayMs: 40 });
    const { jobId } = await killedAfter(ask<{ jobId: string }>('POST', 'differences/go-live', { previewId }));
    await isDone('live');
    const isOver = async () => (await ask<{ state: string }>('GET', `resync/${jobId}`)).state === 'completed';
    await until(isOver, 'the switch');
    expect(seen()).to.deep.equal(asIf('due'));
    expect([...writesByMember(discord).keys()].sort()).to.deep.equal(differing().sort());

    discord.updateRole(guildId, botRole, { permissions: 0n });
    await isDone('stop');
    await killedAfter(Promise.resolve());
    expect((await move()).steps.map(({ state }) => state)).to.deep.equal(Array(6).fill('done'));

    await killedAfter(ask('POST', 'differences/undo', {}));
    const state = async () => (await ask<{ switch: { state: string } }>('GET', 'differences/switch')).switch.state;
    await until(async () => (await state()) === 'undone', 'the undo');
    expect(seen()).to.deep.equal(asIf('holds'));
    await eventually(
      async () => {
        const counts = await ask<{ differing: number }>('GET', 'differences/counts');
        return counts.differing === differing().length;
      },
      'the differences as before',
      patience,
    );
    expect(await move()).to.include({ people, mappings: 1 });
    process.stdout.write(`      ${people} people, ${differing().length} of them differ, ${kills} kills\n`);
  });
});
