import { expect } from 'chai';
import type { AuditEntry } from '../../src/core/audit/audit-model.js';
import type { GuildSettings } from '../../src/core/settings/guild-settings.js';
import { eventually } from '../support/build.js';
import { KillableService } from './killable-service.js';
import type { Crowd } from './resync-crowd.js';

const killer = new URL('./kill-before-log.js', import.meta.url).href;

interface Change {
  method: 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
  entries: string[];
}

describe('A kill between a change and the log', () => {
  const house = new KillableService('entry_kill', ['--import', killer]);
  let crowd: Crowd;
  let headers: Record<string, string>;

  before(async () => {
    crowd = await house.buildCrowd(3);
    await house.start();
    await house.knowsGuild();
    headers = await house.signIn(crowd.ownerId);
  });

  const send = (method: string, path: string, body?: unknown, requestId?: string): Promise<Response> =>
    fetch(`${house.running.url}${path}`, {
      method,
      headers: { ...headers, ...(requestId !== undefined && { 'x-request-id': requestId }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  let serial = 0;
  /** How many entries were not in the log when the service was killed. */
  let late = 0;
  beforeEach(() => {
    late = 0;
  });
  /** Makes a change during which the service is killed, and starts it again. */
  async function killDuring({ method, path, body, entries }: Change): Promise<void> {
    serial += 1;
    const requestId = `kill-${serial}`;
    const answer = await send(method, path, body, requestId).then(
      async (response) => `${response.status} ${await response.text()}`,
      () => 'killed',
    );
    expect(answer, `${method} ${path}`).to.equal('killed');
    await house.running.ended;
    // The relay may have come by a moment before, and have put it there.
    if ((await house.collection('audit_log').countDocuments({ requestId })) === 0) late += 1;
    await house.start();
    const inLog = () => house.collection('audit_log').find<AuditEntry>({ requestId }).toArray();
    await eventually(async () => (await inLog()).length >= entries.length, `the entries of ${method} ${path}`);
    expect((await inLog()).map(({ action }) => action).sort()).to.deep.equal(entries);
  }

  const guildPath = (path: string): string => `/api/guilds/${crowd.guildId}/${path}`;
  const idOf = async (name: string): Promise<string> =>
    String((await house.collection(name).findOne({ guildId: crowd.guildId }))?._id);
  const mapping = (min: number) => ({
    condition: { type: 'group_rank', groupId: crowd.groupId, min, max: 255 },
    roleIds: [crowd.memberRole],
  });

  it('A service killed between a change and the log leaves one entry of each creation, change and removal', async () => {
    const mappings = guildPath('mappings');
    await killDuring({
      method: 'POST',
      path: guildPath('groups'),
      body: { groupId: crowd.groupId },
      entries: ['group.added'],
    });
    await killDuring({ method: 'POST', path: mappings, body: mapping(1), entries: ['mapping.created'] });
    const one = `${mappings}/${await idOf('mappings')}`;
    await killDuring({
      method: 'PUT',
      path: one,
      body: { ...mapping(2), name: '$name' },
      entries: ['mapping.updated'],
    });
    await killDuring({ method: 'DELETE', path: one, entries: ['mapping.removed'] });
    const left: { data: unknown[] } = JSON.parse(await (await send('GET', mappings)).text());
    expect(left.data).to.deep.equal([]);
    const entries = ['mapping.created', 'mapping.created', 'mappings.imported'];
    const body = { mappings: [mapping(3), mapping(4)], dryRun: false };
    await killDuring({ method: 'POST', path: `${mappings}/import`, body, entries });
    const settings: GuildSettings = JSON.parse(await (await send('GET', guildPath('settings'))).text());
    settings.nickname.template = '{chatUsername}';
    await killDuring({ method: 'PUT', path: guildPath('settings'), body: settings, entries: ['settings.updated'] });
    expect(late).to.be.greaterThan(1);
  });

  // LOG-4
  it('A service killed before the log leaves entries of people too, and removed things can be made again', async () => {
    const [{ chatUserId = '' } = {}, { chatUserId: other = '' } = {}] = crowd.members;
    const wish = { chatUserId: other, role: 'viewer' };
    await killDuring({ method: 'POST', path: guildPath('team/invite'), body: wish, entries: ['teammate.invited'] });
    await killDuring({ method: 'DELETE', path: guildPath(`team/${other}`), entries: ['teammate.removed'] });
    expect((await send('POST', guildPath('team/invite'), wish)).status).to.equal(201);
    await killDuring({ method: 'DELETE', path: guildPath(`members/${chatUserId}/link`), entries: ['member.unlinked'] });
    await killDuring({ method: 'POST', path: '/api/auth/logout', entries: ['session.ended'] });
    expect((await send('GET', '/api/auth/me')).status).to.equal(401);
    expect(late).to.be.greaterThan(1);
  });

  it('A service killed before the log tidies up later: no outbox is filled, and nothing removed is kept', async () => {
    for (const name of ['mappings', 'teammates', 'sessions', 'members', 'settings', 'groups']) {
      const filled = { $or: [{ 'outbox.0': { $exists: true } }, { removedAt: { $exists: true } }] };
      const isEmpty = async () => (await house.collection(name).countDocuments(filled)) === 0;
      await eventually(isEmpty, `empty outboxes of ${name}`);
    }
  });
});
