import { expect } from 'chai';
import { endProcesses, startProcess } from '../../boot/service-process.js';
import { skipReconciliations } from '../../support/build.js';
import { freePort, world } from '../../support/world.js';
import { preview } from './preview-setup.js';
import { buildResyncGuild, resyncIn, rolesOf } from './resync-setup.js';

describe('Previews that another process applies', () => {
  after(() => endProcesses());

  it('A preview applied by another process does exactly the shown changes', async () => {
    const { environment, discord } = await world();
    const other = startProcess({ ...environment, LOG_LEVEL: 'info', PORT: String(await freePort()) });
    await other.logged('ready');
    const guild = await buildResyncGuild({ count: 5, inStep: 2 });
    const [, , shown, changed] = guild.people;
    const { previewId, summary } = await preview(guild);
    expect(summary).to.include({ changed: 3 });
    await skipReconciliations(guild.guildId);
    // Not as they were shown any more, so that nothing is done to them.
    discord.setMemberRoles(guild.guildId, changed?.chatUserId ?? '', [guild.officerRole]);
    const answer = await fetch(`${other.url}${guild.path}/resync`, {
      method: 'POST',
      headers: { authorization: `Bot ${guild.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ previewId }),
    });
    const body: { jobId: string } = JSON.parse(await answer.text());
    expect(answer.status, JSON.stringify(body)).to.equal(202);
    expect(await resyncIn(guild, body.jobId, 'completed')).to.include({ changed: 2, total: 6 });
    expect(await rolesOf(guild, shown)).to.deep.equal([guild.memberRole]);
  });
});
