import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { findPresentGuild } from '../../../src/core/guilds/guild-service.js';
import { beginning } from '../../../src/features/sync/plan/guild-plan.js';
import { readRules, rulesKeyOf } from '../../../src/features/sync/plan/guild-rules.js';
import { PreviewRun } from '../../../src/features/sync/preview/preview-run.js';
import type { World } from '../../support/world.js';
import { world } from '../../support/world.js';
import { preview } from './preview-setup.js';
import { buildResyncGuild } from './resync-setup.js';

describe('Previews while platforms are away', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];

  before(async () => {
    ({ discord, roblox } = await world());
  });
  afterEach(() => {
    discord.clearFaults();
    roblox.clearFaults();
  });

  it('A preview is refused with a reason while Roblox does not answer, and works when it does', async () => {
    const guild = await buildResyncGuild({ count: 2, inStep: 1 });
    roblox.inject({ match: /memberships/, status: 403 });
    const { status, body } = await guild.api.post(`${guild.path}/sync/preview`, {});
    expect(status).to.equal(503);
    expect(body).to.include({ code: 'game_platform_unavailable' });
    expect(body.detail).to.equal("Roblox isn't answering reliably right now.");
    roblox.clearFaults();
    expect((await preview(guild)).summary).to.include({ checked: 3, changed: 1 });
  });

  it('A preview that gets half an answer from Discord fails as a whole', async () => {
    const guild = await buildResyncGuild({ count: 2 });
    discord.inject({ match: /^GET .*\/members$/, status: 403 });
    const { status } = await guild.api.post(`${guild.path}/sync/preview`, {});
    expect(status).not.to.equal(200);
  });

  it('A preview answers in time when Roblox is slow, and continues reading for the next answer', async () => {
    const { guildId, path, api } = await buildResyncGuild({ count: 2, inStep: 1 });
    const guild = await findPresentGuild(guildId);
    if (guild === null) throw new Error('The guild is not there.');
    const rules = await readRules(guild);
    const rulesKey = rulesKeyOf(rules);
    const about = { guild, actor: systemActor('test'), askedBy: 'somebody', rules, rulesKey, after: beginning };
    const run = new PreviewRun({ ...about, requestKey: '' });
    const { letGo } = roblox.hold({ match: /memberships/ });
    expect(await run.read(beginning, 50)).to.deep.equal({ members: [], next: beginning });
    expect(run.covers(beginning)).to.equal(true);
    // RESYNC-22
    const early = await api.post(`${path}/resync`, { previewId: run.previewId });
    expect([early.status, early.body.code]).to.deep.equal([409, 'preview_unfinished']);
    letGo();
    const { members, next } = await run.read(beginning);
    expect(members).to.have.length(1);
    expect(next).to.equal(null);
    expect(run.looked).to.deep.equal({ checked: 3, unknown: 0 });
    expect((await api.post(`${path}/resync`, { previewId: run.previewId })).status).to.equal(202);
  });
});
