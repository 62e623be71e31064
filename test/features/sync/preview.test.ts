import { expect } from 'chai';
import fc from 'fast-check';
import sinon from 'sinon';
import { systemActor } from '../../../src/core/actors/actor.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { Members } from '../../../src/features/members/member-model.js';
import { beginning } from '../../../src/features/sync/plan/guild-plan.js';
import { readRules } from '../../../src/features/sync/plan/guild-rules.js';
import { Plans } from '../../../src/features/sync/plan/plan-model.js';
import { PreviewRun } from '../../../src/features/sync/preview/preview-run.js';
import { findPreview, keepPreview } from '../../../src/features/sync/preview/preview-store.js';
import { clock } from '../../../src/lib/clock.js';
import { encodeCursor } from '../../../src/lib/cursor.js';
import { api } from '../../support/api.js';
import { tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';
import { at, byMember, onDiscord, preview } from './preview-setup.js';
import { buildResyncGuild, memberWrites, type ResyncGuild, resync, resyncIn, storedChanges } from './resync-setup.js';

const quietly = { added: [], removed: [] };

const apply = (guild: ResyncGuild, { previewId }: { previewId: string }) => resync(guild, { previewId });

// RESYNC-21
describe('Previews of a guild resync', () => {
  afterEach(async () => {
    sinon.restore();
    (await world()).discord.clearFaults();
  });

  it('A preview lists the change of each member out of step, and no others', async () => {
    const { discord, roblox } = await world();
    const guild = await buildResyncGuild({ count: 5, inStep: 4 });
    const [promoted, leaver, renamed, , newcomer] = guild.people;
    roblox.setRank(guild.groupId, promoted?.gameUserId ?? '', 100);
    roblox.leaveGroup(guild.groupId, leaver?.gameUserId ?? '');
    discord.setNickname(guild.guildId, renamed?.chatUserId ?? '', 'Somebody Else');
    const { members, summary, warnings, nextCursor } = await preview(guild);
    const inStep = { add: [], remove: [], blocked: [], nicknameBlocked: null };
    const about = (person = at(guild.people, 0)) => ({
      memberId: person.chatUserId,
      chatUsername: person.username,
      gameUsername: person.gameUsername,
      ...inStep,
    });
    expect(members).to.have.deep.members([
      { ...about(promoted), add: [guild.officerRole] },
      { ...about(leaver), remove: [guild.memberRole] },
      { ...about(renamed), nickname: renamed?.gameUsername },
      { ...about(newcomer), add: [guild.memberRole] },
    ]);
    const counts = { changed: 4, adding: 2, removing: 1, kicking: 0, renamed: 1, blocked: 0, unknown: 0 };
    expect(summary).to.deep.equal({ checked: 6, ...counts, wouldStopAtBrake: false });
    expect({ warnings, nextCursor }).to.deep.equal({ warnings: [], nextCursor: null });
  });

  it('A preview names the changes that the bot can’t make, and the nickname that it would take back', async () => {
    const { discord } = await world();
    const guild = await buildResyncGuild({ count: 3, inStep: 1 });
    const [above, newcomer, former] = guild.people;
    discord.moveRole(guild.guildId, guild.memberRole, 90);
    discord.setNickname(guild.guildId, above?.chatUserId ?? '', 'Above the Bot');
    const unlinked = { $set: { state: 'unlinked', givenNickname: former?.gameUsername } };
    const gone = { $unset: { gameUserId: 1, gameUsername: 1, gameDisplayName: 1 } };
    await Members.update({ guildId: guild.guildId, chatUserId: former?.chatUserId ?? '' }, { ...unlinked, ...gone });
    const { summary, ...body } = await preview(guild);
    const blocked = [{ roleId: guild.memberRole, reason: 'role_above_bot' }];
    const members = byMember(body);
    const about = (person: typeof above) => members[person?.chatUserId ?? ''];
    expect(about(newcomer)).to.deep.include({ add: [], blocked, nicknameBlocked: null });
    expect(about(newcomer)).not.to.have.property('nickname');
    expect(about(above)).to.deep.include({ remove: [], blocked: [], nicknameBlocked: 'member_above_bot' });
    expect(about(former)).to.deep.include({ remove: [], nickname: null, gameUsername: null, blocked: [] });
    expect(summary).to.include({ changed: 1, renamed: 1, blocked: 2 });
  });

  // RESYNC-22
  it('A resync by a preview makes exactly the shown changes, and then nothing is left', async () => {
    const { discord, roblox } = await world();
    const somebody = fc.record({
      rank: fc.constantFrom(null, 1, 100),
      holds: fc.subarray(['member', 'officer', 'other'] as const),
      nickname: fc.constantFrom('right', 'wrong', null),
    });
    const property = fc.asyncProperty(fc.array(somebody, { minLength: 5, maxLength: 5 }), async (people) => {
      const guild = await buildResyncGuild({ count: people.length });
      const other = discord.addRole(guild.guildId, { name: 'Other' }).id;
      const roles = { member: guild.memberRole, officer: guild.officerRole, other };
      for (const [index, { rank, holds, nickname }] of people.entries()) {
        const { chatUserId, gameUserId, gameUsername } = at(guild.people, index);
        if (rank === null) roblox.leaveGroup(guild.groupId, gameUserId);
        else roblox.setRank(guild.groupId, gameUserId, rank);
        discord.setMemberRoles(
          guild.guildId,
          chatUserId,
          holds.map((name) => roles[name]),
        );
        discord.setNickname(guild.guildId, chatUserId, nickname === 'right' ? gameUsername : nickname);
      }
      const before = await Promise.all(guild.people.map((person) => onDiscord(guild, person)));
      const shown = await preview(guild);
      const planned = byMember(shown);
      const job = await apply(guild, shown);
      expect(job).to.include({ changed: shown.summary.changed, failed: 0, total: shown.summary.checked });
      for (const [index, person] of guild.people.entries()) {
        const { add = [], remove = [], nickname } = planned[person.chatUserId] ?? quietly;
        const { roleIds, nickname: had } = at(before, index);
        const expected = [...roleIds.filter((roleId) => !remove.includes(roleId)), ...add].sort();
        const now = await onDiscord(guild, person);
        expect(now).to.deep.equal({ roleIds: expected, nickname: nickname === undefined ? had : nickname });
      }
      expect((await preview(guild)).summary).to.include({ changed: 0, blocked: 0, checked: people.length + 1 });
    });
    await fc.assert(property, { numRuns: 3 });
  });

  // RESYNC-22
  it('A preview skips a member with changes since', async () => {
    const { discord } = await world();
    const guild = await buildResyncGuild({ count: 4, inStep: 0 });
    const [, changed, synced, left] = guild.people;
    const shown = await preview(guild);
    expect(shown.summary.changed).to.equal(4);
    const other = discord.addRole(guild.guildId, { name: 'Other' }).id;
    discord.setMemberRoles(guild.guildId, changed?.chatUserId ?? '', [other]);
    await guild.api.post(`${guild.path}/members/${synced?.chatUserId}/resync`);
    discord.leave(guild.guildId, left?.chatUserId ?? '');
    discord.forgetRequests();
    const job = await apply(guild, shown);
    expect(job).to.include({ state: 'completed', changed: 1, failed: 0 });
    expect(await memberWrites(guild.guildId)).to.deep.equal(['PUT']);
    expect((await onDiscord(guild, at(guild.people, 0))).roleIds).to.deep.equal([guild.memberRole]);
    expect((await onDiscord(guild, at(guild.people, 1))).roleIds).to.deep.equal([other]);
  });

  it('A preview is about the members asked for only', async () => {
    const guild = await buildResyncGuild({ count: 3, inStep: 0 });
    const [, wanted] = guild.people;
    const shown = await preview(guild, { memberIds: [wanted?.chatUserId, guild.ownerId] });
    expect(Object.keys(byMember(shown))).to.deep.equal([wanted?.chatUserId]);
    expect(shown.summary).to.include({ checked: 2, changed: 1 });
    expect(await apply(guild, shown)).to.include({ changed: 1 });
    expect((await onDiscord(guild, at(guild.people, 0))).roleIds).to.deep.equal([]);
  });

  it('A viewer makes a preview, and only a manager applies it', async () => {
    const guild = await buildResyncGuild({ count: 1, inStep: 0 });
    const viewer = { ...guild, api: api(await tokenFor(guild.guildId, 'viewer')) };
    const { previewId } = await preview(viewer);
    const refused = await viewer.api.post(`${guild.path}/resync`, { previewId });
    expect(refused.status).to.equal(403);
    expect(await memberWrites(guild.guildId)).to.deep.equal([]);
    expect(await apply(guild, { previewId })).to.include({ changed: 1 });
  });

  // RESYNC-22
  it('A preview is applied once, also when it is sent again within the second, or twice at the same time', async () => {
    const guild = await buildResyncGuild({ count: 3, inStep: 0 });
    const wish = await preview(guild, { memberIds: guild.people.slice(0, 2).map(({ chatUserId }) => chatUserId) });
    const send = ({ previewId }: { previewId: string }) => guild.api.post(`${guild.path}/resync`, { previewId });
    const answers = await Promise.all([send(wish), send(wish)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([202, 409]);
    const { jobId } = answers.find(({ status }) => status === 202)?.body ?? {};
    expect(await resyncIn(guild, jobId, 'completed')).to.include({ changed: 2, failed: 0 });
    expect(await memberWrites(guild.guildId)).to.have.length(2);
    const again = await send(wish);
    expect([again.status, again.body.code]).to.deep.equal([409, 'preview_applied']);
    expect(again.body.detail).to.contain(jobId);
    expect(await Plans.count({ guildId: guild.guildId })).to.equal(1);
    expect(await memberWrites(guild.guildId)).to.have.length(2);
    expect(await apply(guild, await preview(guild))).to.include({ changed: 1 });
  });

  it('A preview is refused while another resync is running, with the reason', async () => {
    const guild = await buildResyncGuild({ count: 2, inStep: 0 });
    const { previewId } = await preview(guild, { memberIds: [at(guild.people, 0).chatUserId] });
    const { discord } = await world();
    const letGo = discord.inject({ match: /^(PUT|PATCH) .*\/members\//, held: true });
    const running = await guild.api.post(`${guild.path}/resync`);
    const { status, body } = await guild.api.post(`${guild.path}/resync`, { previewId });
    expect([status, body.code]).to.deep.equal([409, 'resync_running']);
    expect(body.detail).to.contain(running.body.jobId);
    letGo();
    await resyncIn(guild, running.body.jobId, 'completed');
  });

  it('A preview has expired after 15 minutes', async () => {
    const { guild } = await buildResyncGuild({ count: 1, inStep: 0 });
    const rules = await readRules(guild);
    const run = new PreviewRun({
      guild,
      actor: systemActor('test'),
      askedBy: 'somebody',
      rules,
      after: beginning,
      requestKey: '',
      rulesKey: null,
    });
    keepPreview(run);
    clock.advance(14 * 60_000);
    expect(findPreview(guild._id, run.previewId)).to.equal(run);
    clock.advance(60_000);
    expect(findPreview(guild._id, run.previewId)).to.equal(undefined);
    const refused = await run.read(beginning).catch((error: unknown) => error);
    expect(refused).to.include({ code: 'preview_expired' });
  });

  it('A preview is not there for other guilds, after a change of the rules, or when it never was', async () => {
    const [guild, other] = [await buildResyncGuild({ count: 1, inStep: 0 }), await buildResyncGuild({ count: 1 })];
    const ask = async (client: ResyncGuild, previewId: string) => {
      const { status, body } = await client.api.post(`${client.path}/resync`, { previewId });
      return { status, code: body.code };
    };
    const expired = { status: 410, code: 'preview_expired' };
    const { previewId } = await preview(guild);
    expect(await ask(guild, 'unknown')).to.deep.equal(expired);
    expect(await ask(other, previewId)).to.deep.equal(expired);

    const mapping = { condition: { type: 'verified' }, roleIds: [guild.officerRole] };
    expect((await guild.api.post(`${guild.path}/mappings`, mapping)).status).to.equal(201);
    expect(await ask(guild, previewId)).to.deep.equal(expired);
    expect(await memberWrites(guild.guildId)).to.deep.equal([]);
  });

  it('A preview is evicted by the fifth newer one of its guild', async () => {
    const guild = await buildResyncGuild({ count: 1, inStep: 0 });
    const ids: string[] = [];
    for (let count = 0; count < 6; count += 1) ids.push((await preview(guild)).previewId);
    const [oldest, next] = ids;
    expect((await guild.api.post(`${guild.path}/resync`, { previewId: oldest })).status).to.equal(410);
    expect((await guild.api.post(`${guild.path}/resync`, { previewId: next })).status).to.equal(202);
  });

  it('A preview that is applied together with anything else is refused', async () => {
    const guild = await buildResyncGuild({ count: 1, inStep: 0 });
    const { previewId } = await preview(guild);
    const both = { previewId, memberIds: [guild.ownerId] };
    const { status, body } = await guild.api.post(`${guild.path}/resync`, both);
    expect({ status, errors: body.errors }).to.deep.equal({
      status: 400,
      errors: [{ path: 'previewId', message: 'must stand alone' }],
    });
  });
});

describe('Previews of a large guild', () => {
  let guild: ResyncGuild;
  const outOfStep = 120;

  before(async () => {
    const { discord } = await world();
    guild = await buildResyncGuild({ count: 1_050, inStep: 1_047 });
    for (const { chatUserId, gameUsername } of guild.people.slice(0, outOfStep)) {
      discord.setNickname(guild.guildId, chatUserId, `not ${gameUsername}`.slice(0, 32));
    }
  });

  /** How many changes a resync by the preview begins with; nothing is written. */
  async function changesToApply(previewId: string): Promise<{ total: number; changes: number }> {
    const { discord } = await world();
    const resume = discord.inject({ match: /\/members\/|\/members$/, held: true });
    const { body } = await guild.api.post(`${guild.path}/resync`, { previewId });
    const changes = await storedChanges(body.jobId);
    await guild.api.delete(`${guild.path}/resync/${body.jobId}`);
    resume();
    return { total: body.total, changes };
  }

  // RESYNC-26
  it('A preview of a large guild comes in parts, asks Roblox once, and is applied as far as it was read', async () => {
    const { roblox } = await world();
    const first = await preview(guild);
    // The bot is on the first page of 1,000 and is not counted.
    expect(first.members).to.have.length(outOfStep);
    expect(first.summary).to.include({ checked: 999, changed: outOfStep });
    const other = await preview(guild);
    expect(await changesToApply(other.previewId)).to.deep.equal({ total: 999, changes: outOfStep });

    roblox.forgetRequests();
    const second = await preview(guild, { cursor: first.nextCursor });
    expect(roblox.requests).to.deep.equal([]);
    expect(second).to.include({ previewId: first.previewId, nextCursor: null });
    expect(second.members).to.have.length(3);
    expect(second.summary).to.include({ checked: 1_051, changed: outOfStep + 3 });
    expect(await changesToApply(first.previewId)).to.deep.equal({ total: 1_051, changes: outOfStep + 3 });

    const again = await preview(guild, { cursor: first.nextCursor });
    expect(again).to.deep.equal(second);
  });

  // RESYNC-26
  it('A preview continues under another id when the first is not there any more', async () => {
    const first = await preview(guild);
    const rules = await readRules(guild.guild);
    const { askedBy = '' } = findPreview(guild.guildId, first.previewId) ?? {};
    const newer = {
      guild: guild.guild,
      actor: systemActor('test'),
      askedBy,
      rules,
      after: beginning,
      requestKey: '',
      rulesKey: null,
    };
    for (let count = 0; count < 5; count += 1) keepPreview(new PreviewRun(newer));
    const second = await preview(guild, { cursor: first.nextCursor });
    expect(second.previewId).not.to.equal(first.previewId);
    expect(second.members).to.have.length(3);
    expect(second.summary).to.include({ checked: 52, changed: 3 });
  });

  it('A preview ends where reading failed, and continues behind that under another id', async () => {
    const { discord } = await world();
    const wish = { settings: { ...defaultSettings, nickname: { ...defaultSettings.nickname, enabled: false } } };
    const pages = /^GET .*\/members$/;
    discord.inject({ match: pages, times: 1, delayMs: 1 });
    discord.inject({ match: pages, times: 1, status: 403 });
    const first = await preview(guild, wish);
    expect(first.summary).to.include({ checked: 999, changed: 0 });
    const second = await preview(guild, { ...wish, cursor: first.nextCursor });
    expect(second.previewId).not.to.equal(first.previewId);
    expect(second.summary).to.include({ checked: 52, changed: 3 });
    expect(second.nextCursor).to.equal(null);
  });

  it('A preview refuses a cursor of something else', async () => {
    const { nextCursor } = await preview(guild);
    const other = await buildResyncGuild({ count: 1 });
    const others: [ResyncGuild, object][] = [
      [guild, { cursor: 'rubbish' }],
      [guild, { cursor: nextCursor, memberIds: [guild.ownerId] }],
      [other, { cursor: nextCursor }],
    ];
    for (const [{ api: client, path }, body] of others) {
      const { status, body: problem } = await client.post(`${path}/sync/preview`, body);
      expect(status).to.equal(400);
      expect(problem.errors.map(({ path }: { path: string }) => path)).to.deep.equal(['cursor']);
    }
  });

  it('A preview refuses a cursor with anything but an id of Discord as its place', async () => {
    const { nextCursor } = await preview(guild);
    const place = JSON.parse(Buffer.from(nextCursor ?? '', 'base64url').toString('utf8'));
    const ask = (after: string) =>
      guild.api.post(`${guild.path}/sync/preview`, { cursor: encodeCursor({ ...place, after }) });
    for (const after of ['', '00', '-1', '9'.repeat(20), '9'.repeat(40), '9'.repeat(400)]) {
      const { status, body } = await ask(after);
      expect([status, body.errors?.[0]?.path], after).to.deep.equal([400, 'cursor']);
    }
  });
});
