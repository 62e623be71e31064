import { expect } from 'chai';
import { type Member, Members } from '../../../src/features/members/member-model.js';
import { buildGuild, type TestGuild } from '../../support/build.js';

const roleId = '700000000000000001';
const other = '700000000000000002';
const rank = '31:310';
const at = new Date('2026-01-01T00:00:00Z');
const wentBy = { gameUserId: '1', held: [rank], readAt: at, rulesKey: 'rules' };
const synced = { left: { roleIds: [roleId], nickname: null }, wentBy };

const rows: Record<string, Partial<Omit<Member, '_id'>>> = {
  fine: synced,
  due: { ...synced, owedSync: { id: 'a', trigger: 'join', dueAt: new Date('2090-01-01T00:00:00Z'), attempts: 0 } },
  stuck: { left: { roleIds: [other], nickname: null }, wentBy: { ...wentBy, held: ['31:1'] }, blockedBy: ['a role'] },
  watched: { ...synced, differs: true },
  fresh: {},
  gone: { ...synced, state: 'unlinked' },
};

// API-62, API-64
describe('The list of members by what their last sync found', () => {
  let guild: TestGuild;
  before(async () => {
    guild = await buildGuild();
    for (const [index, [name, fields]] of Object.entries(rows).entries()) {
      const linked = fields.state === undefined && {
        gameUserId: `31${index}`,
        gameUsername: name,
        gameDisplayName: name,
      };
      const always = { chatUsername: name, names: [name], present: true, autoLinkBlocked: false, syncs: [] };
      const $set = { state: 'linked' as const, linkedAt: at, ...always, ...linked, ...fields };
      await Members.upsert({ guildId: guild.guildId, chatUserId: `90000000000000003${index}` }, { $set });
    }
  });

  const list = async (query: string) => (await guild.api.get(`${guild.path}/members?${query}`)).body;
  const names = async (query: string): Promise<string[]> =>
    (await list(query)).data.map(({ chatUsername }: { chatUsername: string }) => chatUsername).sort();
  const counts = async (query: string) => (await guild.api.get(`${guild.path}/members/counts?${query}`)).body.counts;

  it('Each member shows the mapped roles they held, and whether they are in step', async () => {
    const { data } = await list('');
    const shown = Object.fromEntries(
      data.map(({ chatUsername, state, roleIds }: Record<string, string>) => [chatUsername, [state, roleIds]]),
    );
    expect(shown).to.deep.equal({
      fine: ['in_step', [roleId]],
      due: ['pending', [roleId]],
      stuck: ['blocked', [other]],
      watched: ['differs', [roleId]],
      fresh: ['unsynced', []],
    });
  });

  for (const [state, name] of Object.entries({
    in_step: 'fine',
    pending: 'due',
    blocked: 'stuck',
    differs: 'watched',
    unsynced: 'fresh',
  })) {
    it(`The list of members finds those with the state ${state}, as it shows them`, async () => {
      expect(await names(`state=${state}`)).to.deep.equal([name]);
      expect(await names(`state=${state}&q=${name}`)).to.deep.equal([name]);
      expect(await names(`state=${state}&q=nobody`)).to.deep.equal([]);
    });
  }

  it('The list of members finds those with a mapped role or a rank, together with other filters', async () => {
    expect(await names(`roleId=${roleId}`)).to.deep.equal(['due', 'fine', 'watched']);
    expect(await names(`roleId=${roleId}&state=pending`)).to.deep.equal(['due']);
    expect(await names(`roleId=${other}&q=st`)).to.deep.equal(['stuck']);
    expect(await names(`rank=${rank}`)).to.deep.equal(['due', 'fine', 'watched']);
    expect(await names(`rank=31:1&roleId=${roleId}`)).to.deep.equal([]);
    expect(await names('roleId=700000000000000009')).to.deep.equal([]);
  });

  // ID-33
  it('The rank of a member whose link has ended finds nobody', async () => {
    expect(await names(`status=unlinked&roleId=${roleId}`)).to.deep.equal(['gone']);
    expect(await names(`status=unlinked&rank=${rank}`)).to.deep.equal([]);
  });

  it('The counts of members go by the same filters, where an index finds them', async () => {
    expect(await counts(`roleId=${roleId}`)).to.include({ linked: 3, unlinked: 1 });
    expect(await counts(`rank=${rank}&state=pending`)).to.include({ linked: 1, unlinked: 0 });
    expect(await counts(`roleId=${roleId}&q=fi`)).to.include({ linked: 1, unlinked: 0 });
  });

  // API-64
  it('The members in step, and those never synced, are counted without an index', async () => {
    const none = { linked: 0, account_gone: 0, left: 0, unlinked: 0, joined: 0 };
    expect(await counts('state=in_step')).to.deep.equal({ ...none, linked: 1, unlinked: 1 });
    expect(await counts('state=unsynced')).to.deep.equal({ ...none, linked: 1 });
    expect(await counts('state=in_step&q=fin')).to.deep.equal({ ...none, linked: 1 });
  });

  it('The list of members refuses a filter by a rank that is none', async () => {
    expect((await guild.api.get(`${guild.path}/members?rank=Captain`)).status).to.equal(400);
  });
});
