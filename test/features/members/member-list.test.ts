import { expect } from 'chai';
import { Members, searchNames } from '../../../src/features/members/member-model.js';
import { buildGuild, type TestGuild } from '../../support/build.js';

interface Row {
  name: string;
  game?: string;
  state: 'linked' | 'unlinked' | 'joined';
  present?: boolean;
  /** Minutes past the hour. */
  linked?: number;
}

const rows: Row[] = [
  { name: 'ann', game: 'Zed', state: 'linked', linked: 1 },
  { name: 'bob', game: 'Maple.Leaf', state: 'linked', linked: 5 },
  { name: 'cid', game: 'maple', state: 'linked', linked: 3, present: false },
  { name: 'dan', state: 'unlinked' },
  { name: 'eve', game: 'Anna', state: 'linked', linked: 5 },
  { name: 'fay', state: 'unlinked' },
  { name: 'gus', state: 'joined' },
];
const idOf = (name: string) => `9000000000000000${10 + rows.findIndex((row) => row.name === name)}`;

let guild: TestGuild;

const list = async (query = '') => {
  const { status, body } = await guild.api.get(`${guild.path}/members?${query}`);
  expect(status, JSON.stringify(body)).to.equal(200);
  return body;
};

const namesIn = (body: { data: { chatUsername: string }[] }) => body.data.map(({ chatUsername }) => chatUsername);
const names = async (query = '') => namesIn(await list(query));

/** Registers hooks: a guild and another one have the table's members. */
function useMembers(): void {
  before(async () => {
    guild = await buildGuild();
    const other = await buildGuild();
    for (const [n, { name, game, state, present = true, linked }] of rows.entries()) {
      const link = game && {
        gameUserId: String(500 + n),
        gameUsername: game,
        gameDisplayName: `The ${game}`,
        linkedAt: new Date(Date.UTC(2026, 0, 1, 0, linked)),
      };
      const names = [name, ...(game ? [game.toLowerCase(), `the ${game.toLowerCase()}`] : [])];
      const member = { chatUsername: name, names, state, present, autoLinkBlocked: false, syncs: [], ...link };
      for (const { guildId } of [guild, other]) {
        await Members.upsert({ guildId, chatUserId: idOf(name) }, { $set: member });
      }
    }
  });
}

describe('The list of members', () => {
  useMembers();

  it('The member list shows linked members in the server, the newest link first', async () => {
    const body = await list();
    expect(namesIn(body)).to.deep.equal(['eve', 'bob', 'ann']);
    expect(body.nextCursor).to.equal(null);
    expect(body.data[0]).to.deep.equal({
      memberId: idOf('eve'),
      chatUsername: 'eve',
      status: 'linked',
      state: 'unsynced',
      roleIds: [],
      gameUserId: '504',
      gameUsername: 'Anna',
      gameDisplayName: 'The Anna',
      linkedAt: '2026-01-01T00:05:00.000Z',
      lastSync: null,
    });
    const { data } = await list('status=unlinked');
    expect(data[1]).to.include({ chatUsername: 'dan', status: 'unlinked', gameUserId: null, linkedAt: null });
  });

  it('The member list filters members by status', async () => {
    expect(await names('status=linked')).to.deep.equal(['eve', 'bob', 'ann']);
    expect(await names('status=left')).to.deep.equal(['cid']);
    expect(await names('status=unlinked')).to.have.members(['dan', 'fay']);
    expect(await names('status=joined')).to.deep.equal(['gus']);
  });

  it('The member list finds the member of a game account', async () => {
    expect(await names('gameUserId=501')).to.deep.equal(['bob']);
    expect(await names('gameUserId=999')).to.deep.equal([]);
    expect(await names('gameUserId=501&status=left')).to.deep.equal([]);
  });

  // API-93
  it('The member list finds members by a part of any name, in whatever case, or by an id', async () => {
    expect(await names('q=AN')).to.deep.equal(['eve', 'ann']);
    expect(await names('q=maple')).to.deep.equal(['bob']);
    expect(await names('q=E.le')).to.deep.equal(['bob']);
    expect(await names('q=n')).to.deep.equal(['eve', 'ann']);
    expect(await names('q=n&gameUserId=504')).to.deep.equal(['eve']);
    expect(await names('q=bob&gameUserId=504')).to.deep.equal([]);
    expect(await names('q=a&status=unlinked')).to.have.members(['dan', 'fay']);
    expect(await names('q=maple&status=left')).to.deep.equal(['cid']);
    expect(await names('q=maple.')).to.deep.equal(['bob']);
    expect(await names('q=the%20z')).to.deep.equal(['ann']);
    expect(await names(`q=${idOf('dan')}&status=unlinked`)).to.deep.equal(['dan']);
    expect(await names('q=502&status=left')).to.deep.equal(['cid']);
    expect(await names('q=leaf')).to.deep.equal(['bob']);
    expect(await names('q=50')).to.deep.equal([]);
    for (const pattern of ['.*', '(', '(?i)a', '[a', 'a{1,', '^ann', 'ann$', '\\', '\\w', '|'])
      expect(await names(`q=${encodeURIComponent(pattern)}`), pattern).to.deep.equal([]);
  });

  // API-93
  it('The member list finds a name in whatever composition its letters are stored and asked for', async () => {
    const { guildId, path, api } = await buildGuild();
    const stored = ['Émile'.normalize('NFC'), 'Émile'.normalize('NFD'), 'ΟΔΟΣΑ', 'ΟΔΟΣ'];
    for (const [n, name] of stored.entries()) {
      const member = { chatUsername: `p${n}`, names: searchNames(name), state: 'joined' as const, present: true };
      await Members.upsert({ guildId, chatUserId: `90000000000000002${n}` }, { $set: { ...member, syncs: [] } });
    }
    for (const [q, found] of [
      ['ÉM'.normalize('NFC'), ['p0', 'p1']],
      ['ém'.normalize('NFD'), ['p0', 'p1']],
      ['ΟΔΟΣ', ['p2', 'p3']],
      ['οδοσ', ['p2', 'p3']],
      ['δος', ['p2', 'p3']],
    ] as const) {
      const { body } = await api.get(`${path}/members?status=joined&q=${encodeURIComponent(q)}`);
      expect(namesIn(body).sort(), q).to.deep.equal(found);
    }
  });

  for (const [sort, expected] of [
    ['-linkedAt', ['eve', 'bob', 'ann']],
    ['linkedAt', ['ann', 'bob', 'eve']],
    ['gameUsername', ['eve', 'bob', 'ann']],
    ['-gameUsername', ['ann', 'bob', 'eve']],
    ['-linkedAt&status=unlinked', ['fay', 'dan']],
    ['linkedAt&status=unlinked', ['dan', 'fay']],
    ['gameUsername&status=unlinked', ['dan', 'fay']],
    ['-gameUsername&status=unlinked', ['fay', 'dan']],
  ] as const) {
    it(`The member list sorts members by ${sort}, and the same page by page of any size`, async () => {
      expect(await names(`sort=${sort}`)).to.deep.equal(expected);
      for (const limit of [1, 2, 4, 6]) {
        const paged: string[] = [];
        let cursor = '';
        do {
          const body = await list(`sort=${sort}&limit=${limit}${cursor && `&cursor=${cursor}`}`);
          expect(body.data.length).to.be.at.most(limit);
          paged.push(...namesIn(body));
          cursor = body.nextCursor ?? '';
        } while (cursor);
        expect(paged, `limit ${limit}`).to.deep.equal(expected);
      }
    });
  }
});

describe('Pages and counts of members', () => {
  useMembers();

  it('The member list continues behind its cursor when a person is linked in the meantime', async () => {
    const first = await list('limit=2');
    const { guildId } = guild;
    const chatUserId = '900000000000000099';
    const late = {
      chatUsername: 'late',
      names: ['late'],
      state: 'linked' as const,
      present: true,
      linkedAt: new Date(),
    };
    await Members.upsert({ guildId, chatUserId }, { $set: { ...late, autoLinkBlocked: false } });
    try {
      expect(await names(`limit=2&cursor=${first.nextCursor}`)).to.deep.equal(['ann']);
    } finally {
      await Members.remove({ guildId, chatUserId });
    }
  });

  it('The member list refuses foreign cursors and meaningless queries', async () => {
    const cursor = (place: unknown) => Buffer.from(JSON.stringify(place)).toString('base64url');
    const id = 'a'.repeat(24);
    for (const [query, path] of [
      ['cursor=rubbish', 'query.cursor'],
      [`cursor=${cursor({ at: null, id: 'z'.repeat(24) })}`, 'query.cursor'],
      [`cursor=${cursor({ at: 'Maple', id })}`, 'query.cursor'],
      [`cursor=${cursor({ at: { $gt: '' }, id })}&sort=gameUsername`, 'query.cursor'],
      [`cursor=${cursor([])}`, 'query.cursor'],
      ['limit=0', 'query.limit'],
      ['limit=101', 'query.limit'],
      ['status=gone', 'query.status'],
      ['sort=names', 'query.sort'],
      ['gameUserId=x', 'query.gameUserId'],
      ['q=', 'query.q'],
      ['color=red', 'query'],
    ] as const) {
      const { status, body } = await guild.api.get(`${guild.path}/members?${query}`);
      expect(status, query).to.equal(400);
      expect(body.errors.map((issue: { path: string }) => issue.path).join(), query).to.match(new RegExp(`^${path}`));
    }
  });

  it('The member list shows no other guild’s members', async () => {
    const stranger = await buildGuild();
    expect((await stranger.api.get(`${stranger.path}/members`)).body.data).to.deep.equal([]);
    expect((await stranger.api.get(`${stranger.path}/members/${idOf('ann')}`)).status).to.equal(404);
    expect((await stranger.api.get(`${guild.path}/members`)).status).to.equal(404);
  });

  it('The counts of members go by status, whole and by search', async () => {
    const counts = async (query: string) => {
      const { status, body } = await guild.api.get(`${guild.path}/members/counts${query}`);
      expect(status).to.equal(200);
      return body.counts;
    };
    expect(await counts('')).to.deep.equal({ linked: 3, account_gone: 0, left: 1, unlinked: 2, joined: 1 });
    expect(await counts('?q=map')).to.deep.equal({ linked: 1, account_gone: 0, left: 1, unlinked: 0, joined: 0 });
    expect(await counts('?gameUserId=504')).to.include({ linked: 1, left: 0 });
    expect(await counts('?gameUserId=504&q=map')).to.include({ linked: 0, left: 0 });
    expect(await counts('?q=nobody')).to.include({ linked: 0, joined: 0 });
  });
});
