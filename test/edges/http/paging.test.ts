import { expect } from 'chai';
import { encodeCursor } from '../../../src/lib/cursor.js';
import { allRoutes, expectProblem, type HttpSide, startHttp } from './http-setup.js';
import { listFilters } from './list-filters.js';
import { type List, lists } from './paged-lists.js';

/** Texts in a query that `Number` would accept as numbers. */
const notNumbers = ['', 'x', '1e1', '0x10', '0b11', '0o17', '%2010', '10%20', '%0A10', '%2B10', '010', '10.0', '1_0'];

// API-20, API-21, API-22
describe('Lists', () => {
  let http: HttpSide;
  /** One for each list that was paged so far. */
  const cursors: string[] = [];
  const covered = new Set<string>();
  before(async () => {
    http = await startHttp();
  });
  after(() => http.close());

  for (const [name, make] of lists) {
    describe(`The list of ${name}`, () => {
      let list: List;
      const get = (query: string) => http.send('GET', `${list.path}&${query}`, { headers: list.headers });
      const idsOf = (data: Record<string, string>[]) => data.map((item) => list.idOf(item) ?? '');

      /** Reads the list to its end, three at a time, and does something between each page and the next. */
      async function readAll(between: (seen: string[]) => Promise<unknown> = async () => undefined): Promise<string[]> {
        const seen: string[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const { status, json } = await get(`limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
          expect(status).to.equal(200);
          expect(json).to.have.all.keys('data', 'nextCursor');
          seen.push(...idsOf(json.data));
          cursor = json.nextCursor;
          if (cursor !== null) expect(json.data).to.have.length(3);
          await between(seen);
        }
        return seen;
      }

      before(async () => {
        list = await make();
        covered.add(list.name);
        for (let index = 0; index < 26; index += 2) await list.add(index);
      });

      // API-5
      it(`The list of ${name} accepts limits from 1 to 100 and documents them`, async () => {
        for (const limit of [...notNumbers, '0', '101', '-1', '1.5', '1e99', 'NaN', '10;']) {
          const { errors } = expectProblem(await get(`limit=${limit}`), 400, 'invalid_request');
          expect(new Set(errors?.map(({ path }) => path))).to.deep.equal(new Set(['query.limit']));
        }
        expect((await get('limit=1')).json.data).to.have.length(1);
        const all = await get('limit=100');
        expect(all.json.data).to.have.length.within(13, 15);
        expect(all.json.nextCursor).to.equal(null);
      });

      it(`The list of ${name} refuses malformed cursors`, async () => {
        const places = [[], {}, null, 5, { $gt: '' }, { at: 5, id: 'x' }, { at: null, id: 'z'.repeat(24) }];
        const { json } = await get('limit=1');
        const foreign = places.map(encodeCursor).flatMap((place) => [place, json.nextCursor.slice(0, 16) + place]);
        for (const cursor of ['', 'x', '%00', 'W10', '%F0%9F%A6%8A', 'x'.repeat(501), ...foreign]) {
          const { errors } = expectProblem(await get(`cursor=${cursor}`), 400, 'invalid_request');
          expect(errors?.map(({ path }) => path)).to.deep.equal(['query.cursor']);
        }
      });

      it(`The list of ${name} refuses cursors of every other list, filter and sort, and accepts its own with another limit`, async () => {
        const { json } = await get('limit=1');
        expect((await get(`limit=2&cursor=${json.nextCursor}`)).status).to.equal(200);
        for (const cursor of cursors) {
          const { errors } = expectProblem(await get(`cursor=${cursor}`), 400, 'invalid_request');
          expect(errors?.map(({ path }) => path)).to.deep.equal(['query.cursor']);
        }
        cursors.push(json.nextCursor);
        const [path = '', query = ''] = list.path.split('?');
        for (const [name, values] of Object.entries(listFilters[list.name] ?? {})) {
          const asked = new URLSearchParams(query);
          // `linked` is the status that is asked for when none is named.
          const others = values.filter((value) => value !== (asked.get(name) ?? 'linked'));
          asked.set(name, others[0] ?? '');
          const answer = await http.send('GET', `${path}?${asked}&cursor=${json.nextCursor}`, {
            headers: list.headers,
          });
          const { errors } = expectProblem(answer, 400, 'invalid_request');
          expect(
            errors?.map((error) => error.path),
            name,
          ).to.deep.equal(['query.cursor']);
        }
      });

      it(`The list of ${name} gives each item once, in the order of the whole`, async () => {
        const { json } = await get('limit=100');
        expect(await readAll()).to.deep.equal(idsOf(json.data));
      });

      it(`The list of ${name} keeps its order when items are added or removed between pages`, async () => {
        const original = idsOf((await get('limit=100')).json.data);
        let added = 1;
        const removed: string[] = [];
        const seen = await readAll(async (soFar) => {
          if (added < 26) await list.add(added);
          added += 2;
          const last = soFar.at(-1) ?? '';
          if (removed.length < 2 && original.includes(last)) {
            removed.push(last);
            await list.remove(last);
          }
        });
        expect(new Set(seen).size).to.equal(seen.length);
        expect(seen.filter((id) => original.includes(id))).to.deep.equal(original);
        expect(removed).to.have.length(2);
        const now = idsOf((await get('limit=100')).json.data);
        expect(now).to.include.members(original.filter((id) => !removed.includes(id)));
        expect(now).not.to.include.members(removed.slice(0, 1));
        expect(await readAll()).to.deep.equal(now);
      });

      it(`The list of ${name} has 25 items a page by default`, async () => {
        for (let index = 30; index < 50; index += 1) await list.add(index);
        const { json } = await get('');
        expect(json.data).to.have.length(25);
        expect(json.nextCursor).to.be.a('string');
      });
    });
  }

  describe('All lists', () => {
    /** Roblox's own pages; test/features/ranking holds it to RANKING-25. */
    const byRoblox = 'GET /api/guilds/:guildId/groups/:groupId/join-requests';

    it('Every list with a cursor is covered by these tests', () => {
      const paged = allRoutes().filter(({ options }) => options.input?.query?.shape.cursor !== undefined);
      expect([...covered, byRoblox]).to.have.members(paged.map(({ name }) => name));
    });
  });
});
