import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { beginning } from '../../../src/features/sync/plan/guild-plan.js';
import { readRules } from '../../../src/features/sync/plan/guild-rules.js';
import { Plans } from '../../../src/features/sync/plan/plan-model.js';
import { PlannedChanges } from '../../../src/features/sync/plan/planned-change-model.js';
import { PreviewRun } from '../../../src/features/sync/preview/preview-run.js';
import { findPreview, keepPreview } from '../../../src/features/sync/preview/preview-store.js';
import {
  erasePreviews,
  isShown,
  purgePreviews,
  readStored,
  storePart,
} from '../../../src/features/sync/preview/stored-previews.js';
import { eraseFromResyncs } from '../../../src/features/sync/resync/resyncs-of-person.js';
import { clock } from '../../../src/lib/clock.js';
import { type Api, api } from '../../support/api.js';
import { buildGuild } from '../../support/build.js';
import { buildTeammate } from '../team/team-setup.js';
import { at, preview } from './preview-setup.js';
import { buildResyncGuild, type ResyncGuild, resync, rolesOf } from './resync-setup.js';

// RESYNC-24, RESYNC-27
describe('Kept previews', () => {
  it('Kept previews are pushed out by newer ones of the same person only, be they many or large, also by their tokens', async () => {
    const guild = await buildGuild();
    const { guildId, path } = guild;
    const mine = (await buildTeammate(guild, 'manager')).api;
    const theirs = (await buildTeammate(guild, 'admin')).api;
    const { token } = (await theirs.post(`${path}/tokens`, { name: 'more', role: 'viewer' })).body;
    const ask = async (caller: Api): Promise<string> => (await caller.post(`${path}/sync/preview`, {})).body.previewId;
    const isKept = (previewId: string) => findPreview(guildId, previewId) !== undefined;

    const first = await ask(mine);
    const many: string[] = [];
    for (let count = 0; count < 7; count += 1) many.push(await ask(count % 2 === 0 ? theirs : api(token)));
    expect(many.map(isKept)).to.deep.equal([false, false, true, true, true, true, true]);
    expect(isKept(first), 'after many of somebody else').to.equal(true);

    const rules = await readRules(guild.guild);
    const askedBy = findPreview(guildId, many.at(-1) ?? '')?.askedBy ?? '';
    const large = {
      guild: { ...guild.guild, memberCount: 250_000 },
      actor: systemActor('test'),
      askedBy,
      rules,
      requestKey: '',
      rulesKey: null,
    };
    for (let count = 0; count < 5; count += 1) keepPreview(new PreviewRun({ ...large, after: beginning }));
    expect(many.map(isKept)).not.to.include(true);
    expect(isKept(first), 'after large ones of somebody else').to.equal(true);
    expect((await mine.post(`${path}/resync`, { previewId: first })).status).to.equal(202);
  });
});

describe('Shown changes of previews', () => {
  afterEach(() => clock.restore());

  const apply = async (guild: ResyncGuild, previewId: string) =>
    (await guild.api.post(`${guild.path}/resync`, { previewId })).status;
  const shownBy = (previewId: string) => PlannedChanges.acrossGuilds.countDocuments({ planId: previewId });

  it('A preview is applied when the process that made it has forgotten it', async () => {
    const guild = await buildResyncGuild({ count: 4, inStep: 1 });
    const { previewId } = await preview(guild);
    const askedBy = findPreview(guild.guildId, previewId)?.askedBy ?? '';
    const rules = await readRules(guild.guild);
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
    expect(findPreview(guild.guildId, previewId)).to.equal(undefined);
    expect(await resync(guild, { previewId })).to.include({ changed: 3, total: 5 });
    for (const person of guild.people) expect(await rolesOf(guild, person)).to.deep.equal([guild.memberRole]);
  });

  it('A preview and its shown changes are gone after 15 minutes', async () => {
    const guild = await buildResyncGuild({ count: 2, inStep: 0 });
    const { previewId } = await preview(guild);
    expect(await shownBy(previewId)).to.equal(2);
    clock.advance(15 * 60_000);
    expect(await apply(guild, previewId)).to.equal(410);
    await purgePreviews(clock.now());
    expect(await shownBy(previewId)).to.equal(0);
    expect(await Plans.findOne({ _id: previewId, guildId: guild.guildId })).to.equal(null);
  });

  it('An erasure removes the person from previews, and the previews that the person asked for', async () => {
    const guild = await buildResyncGuild({ count: 2, inStep: 0 });
    const [erased, other] = [at(guild.people, 0), at(guild.people, 1)];
    const [about, asked] = [await preview(guild), await preview(guild, { memberIds: [other.chatUserId] })];
    await eraseFromResyncs({ chatUserId: erased.chatUserId, pseudonym: 'somebody' });
    expect(await shownBy(about.previewId)).to.equal(1);
    const asker = await Plans.findOne({ _id: asked.previewId, guildId: guild.guildId });
    await erasePreviews({ chatUserId: asker?.askedBy ?? '' });
    expect(await shownBy(asked.previewId)).to.equal(0);
    expect(await apply(guild, about.previewId)).to.equal(410);
  });

  it('A person’s planned change not stored whole, or after the preview was applied, is no part of the preview', async () => {
    const guild = await buildResyncGuild({ count: 3, inStep: 0 });
    const { previewId } = await preview(guild);
    const shown = await readStored(guild.guildId, previewId);
    if (!isShown(shown)) throw new Error('the preview is applied');
    await PlannedChanges.acrossGuilds.updateOne({ planId: previewId }, { $set: { part: shown.parts } });
    expect(await resync(guild, { previewId })).to.include({ changed: 2, total: 4 });
    await storePart({ ...shown, parts: shown.parts + 1 }, []);
    expect(await Plans.findOne({ _id: previewId, guildId: guild.guildId })).to.include({
      state: 'completed',
      parts: 1,
    });
    expect(await shownBy(previewId)).to.equal(0);
  });
});
