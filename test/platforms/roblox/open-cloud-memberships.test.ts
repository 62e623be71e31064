import { expect } from 'chai';
import {
  readMembershipsOfGroup,
  readMembershipsOfUsers,
} from '../../../src/platforms/roblox/open-cloud-memberships.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { expectUnavailable, sendJson, startScriptedRoblox, useQuiet } from './roblox-setup.js';

const member = (change: object = {}) => ({
  path: 'groups/7/memberships/MQ',
  user: 'users/1',
  role: 'groups/7/roles/70',
  roles: ['groups/7/roles/70'],
  ...change,
});

describe('Pages of Open Cloud memberships', () => {
  useQuiet();

  /** Lets Roblox give these pages one after the other, each with its own token but for the last. */
  const withPages = async (pages: unknown[], run: (requests: string[]) => Promise<void>) => {
    const roblox = await startScriptedRoblox((_, response) => sendJson(response, pages[roblox.requests.length - 1]));
    configureRoblox(roblox.config);
    try {
      await run(roblox.requests);
    } finally {
      await roblox.stop();
    }
  };
  const refuses = (answer: unknown) =>
    withPages([answer], () => expectUnavailable(readMembershipsOfUsers(['1'], { totalMs: 1_000, attempts: 1 })));

  it('Membership reads refuse answers without a list, and members without roles', async () => {
    await refuses({});
    await refuses({ groupMemberships: null });
    await refuses({ groupMemberships: [member({ roles: undefined })] });
    await refuses({ groupMemberships: [member({ roles: [] })] });
    await refuses([]);
  });

  it('Membership reads refuse unrequested people, and roles of another group', async () => {
    await refuses({ groupMemberships: [member({ user: 'users/2' })] });
    await refuses({ groupMemberships: [member({ roles: ['groups/8/roles/70'] })] });
    await withPages([{ groupMemberships: [member()] }], () =>
      expectUnavailable(readMembershipsOfGroup('8', new Map())),
    );
  });

  it('Membership reads refuse page tokens that go round in circles', async () => {
    const page = (nextPageToken: string) => ({ groupMemberships: [member()], nextPageToken });
    await withPages([page('a'), page('b'), page('a')], async (requests) => {
      await expectUnavailable(readMembershipsOfUsers(['1']));
      expect(requests).to.have.length(3);
    });
  });

  it('Membership reads continue over pages that are empty or short, and end at an empty token', async () => {
    const pages = [
      { groupMemberships: [], nextPageToken: 'a' },
      { groupMemberships: [member()], nextPageToken: 'b' },
      { groupMemberships: [member({ roles: ['groups/7/roles/71'] })], nextPageToken: '' },
    ];
    await withPages(pages, async (requests) => {
      const found = await readMembershipsOfUsers(['1']);
      expect([...(found.get('1')?.get('7') ?? [])]).to.deep.equal(['70', '71']);
      expect(requests.map((url) => new URL(url, 'http://roblox').searchParams.get('pageToken'))).to.deep.equal([
        null,
        'a',
        'b',
      ]);
    });
  });

  it('readMembershipsOfUsers asks for at most 50 people a filter, each once, and never for a text that is no id', async () => {
    const ids = Array.from({ length: 120 }, (_, n) => String(n + 1));
    await withPages(Array(3).fill({ groupMemberships: [] }), async (requests) => {
      const found = await readMembershipsOfUsers([...ids, ...ids]);
      expect([...found.keys()]).to.deep.equal(ids);
      const filters = requests.map((url) => new URL(url, 'http://roblox').searchParams.get('filter') ?? '');
      expect(filters.map((filter) => filter.split(',').length)).to.deep.equal([50, 50, 20]);
      expect(filters[2]).to.match(/^user in \['users\/101', .*'users\/120'\]$/);
      const injected = await readMembershipsOfUsers(["1'] || user in ['users/2"]).catch((error: Error) => error);
      expect(injected).to.be.an('error');
      expect(requests).to.have.length(3);
    });
  });
});
