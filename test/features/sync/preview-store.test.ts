import { expect } from 'chai';
import { beginning } from '../../../src/features/sync/plan/guild-plan.js';
import { readRules } from '../../../src/features/sync/plan/guild-rules.js';
import { PreviewRun } from '../../../src/features/sync/preview/preview-run.js';
import { findPreview, keepPreview } from '../../../src/features/sync/preview/preview-store.js';
import { type Api, api } from '../../support/api.js';
import { buildGuild } from '../../support/build.js';
import { buildTeammate } from '../team/team-setup.js';

describe('previews that are kept', () => {
  it('are pushed out by newer ones of the same person only, be they many or large, also by their tokens', async () => {
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
    const large = { guild: { ...guild.guild, memberCount: 250_000 }, askedBy, rules, requestKey: '', rulesKey: null };
    for (let count = 0; count < 5; count += 1) keepPreview(new PreviewRun({ ...large, after: beginning }));
    expect(many.map(isKept)).not.to.include(true);
    expect(isKept(first), 'after large ones of somebody else').to.equal(true);
    expect((await mine.post(`${path}/resync`, { previewId: first })).status).to.equal(202);
  });
});
