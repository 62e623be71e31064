import { expect } from 'chai';
import { findGuild } from '../../../src/core/guilds/guild-service.js';
import { buildGuild } from '../../support/build.js';
import { adminApi } from '../admin/admin-setup.js';
import { dataOf, heard, listen } from './listening.js';

describe('The event of a suspension', () => {
  it('The event guild.suspended contains reason and time once, and comes again with the next suspension', async () => {
    const admin = await adminApi();
    const guild = await buildGuild();
    const { guildId } = guild;
    await listen(guild);
    const reason = 'Spam “here” 🚫';
    expect((await admin.suspend(guildId, reason)).status).to.equal(200);
    expect((await admin.suspend(guildId, 'again')).status).to.equal(409);
    const suspendedAt = (await findGuild(guildId))?.suspension?.at.toISOString();
    expect(await dataOf(guild, 'guild.suspended')).to.deep.equal([{ reason, suspendedAt }]);
    await admin.unsuspend(guildId);
    await admin.suspend(guildId, 'once more');
    const reasons = (await heard(guild, 'guild.suspended')).map(({ data }) => data.reason);
    expect(reasons).to.deep.equal([reason, 'once more']);
  });
});
