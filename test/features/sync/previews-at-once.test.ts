import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { beginning } from '../../../src/features/sync/plan/guild-plan.js';
import { readRules } from '../../../src/features/sync/plan/guild-rules.js';
import { PreviewRun } from '../../../src/features/sync/preview/preview-run.js';
import { findPreview, keepPreview } from '../../../src/features/sync/preview/preview-store.js';
import { buildResyncGuild } from './resync-setup.js';

describe('Many simultaneous previews', () => {
  it('Many simultaneous previews are all answered, also for one person', async () => {
    const guild = await buildResyncGuild({ count: 4, inStep: 1 });
    const asked = Array.from({ length: 12 }, () => guild.api.post(`${guild.path}/sync/preview`, {}));
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 12 }, () => 200));
    expect(new Set(answers.map(({ body }) => body.previewId)).size).to.equal(12);
    for (const { body } of answers) expect(body.members).to.have.length(3);
  });

  it('A preview with a waiting caller is answered even when larger ones evict it', async () => {
    const guild = await buildResyncGuild({ count: 4, inStep: 1 });
    const rules = await readRules(guild.guild);
    const wish = {
      guild: guild.guild,
      actor: systemActor('test'),
      askedBy: 'somebody',
      rules,
      after: beginning,
      requestKey: '',
      rulesKey: null,
    };
    const run = new PreviewRun(wish);
    keepPreview(run);
    const read = run.read(beginning);
    for (let count = 0; count < 6; count += 1) keepPreview(new PreviewRun(wish));
    expect(findPreview(guild.guildId, run.previewId)).to.equal(undefined);
    expect((await read).members).to.have.length(3);
  });
});
