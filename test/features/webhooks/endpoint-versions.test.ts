import { expect } from 'chai';
import { buildGuild } from '../../support/build.js';

describe('If-Match on a webhook', () => {
  it('If-Match lets one of two changes of the same webhook version win, and refuses the other', async () => {
    const guild = await buildGuild();
    const draft = { url: 'https://example.com/hook', events: ['role.synced'] };
    const made = await guild.api.post(`${guild.path}/webhooks`, draft);
    const path = `${guild.path}/webhooks/${made.body.webhookId}`;
    const tag = (await guild.api.get(path)).headers.get('etag') ?? '';
    expect(tag)
      .to.equal(made.headers.get('etag'))
      .and.equal(`"${Date.parse(made.body.updatedAt)}"`);
    const change = (description: string, version: string) =>
      guild.api.patch(path, { description }, { 'if-match': version });
    const answers = await Promise.all([change('One', tag), change('Two', tag)]);
    expect(answers.map(({ status }) => status)).to.have.members([200, 412]);
    expect(answers.find(({ status }) => status === 412)?.body.code).to.equal('version_mismatch');
    const next = answers.find(({ status }) => status === 200)?.headers.get('etag') ?? '';
    const rotated = await guild.api.post(`${path}/rotate-secret`);
    expect((await change('Three', next)).status).to.equal(412);
    expect((await guild.api.delete(path, { 'if-match': next })).status).to.equal(412);
    expect((await guild.api.delete(path, { 'if-match': rotated.headers.get('etag') ?? '' })).status).to.equal(204);
  });
});
