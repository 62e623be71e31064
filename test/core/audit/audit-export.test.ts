import { once } from 'node:events';
import { type IncomingMessage, request, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import mongoose from 'mongoose';
import sinon from 'sinon';
import { type AuditEntry, AuditLog, auditIndexes } from '../../../src/core/audit/audit-model.js';
import { newId } from '../../../src/lib/ids.js';
import { inPieces } from '../../../src/lib/in-pieces.js';
import { buildGuild, eventually, type TestGuild, tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';
import { daysAgo, emptyLog, insertEntry } from './entries-setup.js';

const header = 'id,at,actorKind,actorId,actorName,action,targetKind,targetId,targetName,changes,requestId'.split(',');

async function fill(guildId: string, count: number, name: string): Promise<void> {
  const start = daysAgo(1).getTime();
  const entries = Array.from({ length: count }, (_, index): AuditEntry => {
    const at = new Date(start + index);
    const actor = { kind: 'user' as const, id: '7', name: 'Ann' };
    return {
      _id: newId('log', at),
      guildId,
      at,
      actor,
      action: 'group.added',
      target: { kind: 'group', id: '1', name },
    };
  });
  const log = mongoose.connection.collection<AuditEntry>('audit_log');
  for (const some of inPieces(entries, 1_000)) await log.insertMany(some);
}

let guild: TestGuild;

const get = (query = '') => guild.api.get(`${guild.path}/logs/export?${query}`);

const rowsOf = async (query: string): Promise<Record<string, string>[]> =>
  parse((await get(query)).body, { columns: true, record_delimiter: '\r\n' });

/** The answer as it comes in, unread. */
async function begin(method = 'GET'): Promise<IncomingMessage> {
  const { url } = await world();
  const headers = { authorization: `Bot ${guild.token}` };
  const sent = request(`${url}${guild.path}/logs/export`, { method, headers, agent: false });
  sent.end();
  const [answer] = await once(sent, 'response');
  return answer;
}

/** The driver's cursors that exports open from now on. */
const watchCursors = () => {
  const opened = sinon.spy(AuditLog, 'cursor');
  return () => opened.returnValues[0] ?? expect.fail('no cursor was opened');
};

// LOG-11, LOG-12, LOG-13
describe('The export of a small log', () => {
  afterEach(() => sinon.restore());

  beforeEach(async () => {
    guild = await buildGuild();
    await emptyLog(guild.guildId);
  });

  it('The log’s export is a file of RFC 4180 that has each entry whole', async () => {
    const at = daysAgo(1);
    const changes = { name: { from: null, to: 'a, "b"' }, roleIds: { from: [], to: ['1', '2'] } };
    const target = { kind: 'mapping', id: 'map_1', name: 'Says "hi", twice\nor\rmore; ä🦊' };
    const id = await insertEntry(guild.guildId, { at, changes, target, requestId: 'req-1' });
    const { status, headers, body } = await get();
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    const day = new Date().toISOString().slice(0, 10);
    expect(headers.get('content-disposition')).to.equal(`attachment; filename="log-${guild.guildId}-${day}.csv"`);
    expect(body).to.equal(
      [
        header.join(','),
        `${id},${at.toISOString()},user,7,Ann,mapping.updated,mapping,map_1,` +
          '"Says ""hi"", twice\nor\rmore; ä🦊",' +
          `"${JSON.stringify(changes).replaceAll('"', '""')}",req-1`,
        '',
      ].join('\r\n'),
    );
    const [row] = await rowsOf('');
    expect(row).to.include({ id, targetName: target.name, requestId: 'req-1' });
    expect(JSON.parse(row?.changes ?? '')).to.deep.equal(changes);
  });

  // LOG-24
  it('The log’s export joins what someone did with what happened to them, in the order of the log', async () => {
    const { guildId } = guild;
    await fill(guildId, 450, 'By them');
    const target = { kind: 'member', id: '7' };
    const other = { kind: 'user' as const, id: '8', name: 'Bob' };
    const start = daysAgo(1).getTime();
    for (const after of [-1, 100, 250, 449, 9_000]) {
      const actor = after === 449 ? { kind: 'user' as const, id: '7', name: 'Ann' } : other;
      await insertEntry(guildId, { at: new Date(start + after), actor, target });
    }
    await insertEntry(guildId, { at: new Date(start + 5), actor: other });
    const rows = await rowsOf('involves=7');
    expect(rows).to.have.length(455);
    expect(new Set(rows.map(({ id }) => id)).size).to.equal(455);
    const times = rows.map(({ at }) => at ?? '');
    expect(times).to.deep.equal(times.toSorted().toReversed());
  });

  for (const name of ['lf\nmid', 'cr\rmid', 'end\n', '\r\nboth', 'log_1,2026-01-01\nlog_2,faked']) {
    it(`The log’s export keeps ${JSON.stringify(name)} in its row and cell`, async () => {
      const actor = { kind: 'user' as const, id: '7', name };
      const id = await insertEntry(guild.guildId, { actor, target: { kind: 'mapping', id: 'map_1', name } });
      const { body } = await get();
      const quoted = /^\s/.test(name) ? `"'${name}"` : `"${name}"`;
      expect(body.split(quoted)).to.have.length(3);
      const rows: string[][] = parse(body, { record_delimiter: ['\r\n', '\n', '\r'] });
      expect(rows).to.have.length(2);
      expect(rows[1]?.[0]).to.equal(id);
    });
  }

  it('The log’s export of an empty log holds only the header', async () => {
    expect((await get('action=token.*')).body).to.equal(`${header.join(',')}\r\n`);
  });

  it('The log’s export contains no formula for a spreadsheet, for any names', async () => {
    const evil = '=HYPERLINK("https://evil.example")';
    await insertEntry(guild.guildId, {
      actor: { kind: 'user', id: '＝1', name: evil },
      target: { kind: 'mapping', id: '@x', name: '\u00a0+1' },
      requestId: '-1:2',
    });
    const [row] = await rowsOf('');
    expect(row).to.include({
      actorId: "'＝1",
      actorName: `'${evil}`,
      targetId: "'@x",
      targetName: "'\u00a0+1",
      requestId: "'-1:2",
    });
  });

  it('The log’s export contains all rows of the filter, newest first, for any number', async () => {
    await fill(guild.guildId, 2_500, 'Builders');
    await insertEntry(guild.guildId, { action: 'mapping.created', actor: { kind: 'user', id: '8', name: 'Bob' } });
    const rows = await rowsOf('action=group.*');
    expect(rows).to.have.length(2_500);
    const moments = rows.map(({ at = '' }) => at);
    expect(moments).to.deep.equal([...moments].sort().reverse());
    expect(new Set(rows.map(({ id }) => id)).size).to.equal(2_500);
    expect(await rowsOf('actorId=8')).to.have.length(1);
    expect(await rowsOf('')).to.have.length(2_501);
    expect(await rowsOf(`to=${daysAgo(0.5).toISOString()}&actorId=7`)).to.have.length(2_500);
    expect(await rowsOf(`from=${daysAgo(0.5).toISOString()}`)).to.have.length(1);
  });

  it('The log’s export refuses managers', async () => {
    const { path, guildId } = guild;
    const { url } = await world();
    const manager = await tokenFor(guildId, 'manager');
    const answer = await fetch(`${url}${path}/logs/export`, { headers: { authorization: `Bot ${manager}` } });
    expect(answer.status).to.equal(403);
  });

  // API-28
  it('The log’s export is refused with a reason when the database fails before its first row', async () => {
    const cursor = AuditLog.cursor(
      { guildId: guild.guildId },
      { sort: { at: -1 }, batchSize: 1, hint: auditIndexes.all },
    );
    await cursor.close();
    sinon.stub(AuditLog, 'cursor').returns(cursor);
    sinon.stub(cursor, 'hasNext').rejects(new Error('away'));
    const { status, headers, body } = await get();
    expect(status).to.equal(500);
    expect(headers.get('content-type')).to.equal('application/problem+json; charset=utf-8');
    expect(headers.get('content-disposition')).to.equal(null);
    expect(body.code).to.equal('internal_error');
  });
});

describe('The export of a large log', () => {
  afterEach(() => sinon.restore());

  before(async () => {
    guild = await buildGuild();
    await emptyLog(guild.guildId);
    // More than sockets buffer.
    await fill(guild.guildId, 10_000, 'x'.repeat(2_000));
  });

  it('The log’s export waits for its reader and holds the entries that existed when it began', async () => {
    const cursor = watchCursors();
    const answer = await begin();
    await delay(200);
    expect(cursor().bufferedCount()).to.be.at.most(1_000);
    expect(cursor().closed, 'most of it is not read yet').to.equal(false);
    const late = await insertEntry(guild.guildId);
    const body = await text(answer);
    expect(body.match(/\r\n/g)).to.have.length(10_001);
    expect(body).not.to.contain(late);
    await eventually(() => cursor().killed || cursor().closed, 'the end of the cursor');
  });

  it('The log’s export stops reading when the client disconnects', async () => {
    const cursor = watchCursors();
    const answer = await begin();
    await once(answer, 'readable');
    const openBefore = await openCursors();
    answer.destroy();
    await eventually(() => cursor().killed || cursor().closed, 'the end of the cursor');
    await eventually(async () => (await openCursors()) < openBefore, 'the end of the cursor in the database');
  });

  it('The log’s export reads nothing on when only the headers are asked for', async () => {
    const cursor = watchCursors();
    const answer = await begin('HEAD');
    expect(answer.headers['content-type']).to.equal('text/csv; charset=utf-8');
    await eventually(() => cursor().killed || cursor().closed, 'the end of the cursor');
  });

  it('The log’s export breaks the connection when the database fails midway, so that it can’t pass for complete', async () => {
    const cursor = watchCursors();
    const answer = await begin();
    const { id } = cursor();
    if (id === undefined) expect.fail('the cursor is at its end already');
    await mongoose.connection.db?.command({ killCursors: 'audit_log', cursors: [id] });
    const verdict = await text(answer).then(
      () => 'whole',
      (error: Error) => error.message,
    );
    expect(verdict).to.equal('aborted');
    expect(answer.complete).to.equal(false);
  });

  it('The log’s export gives up on a reader that stops reading', async () => {
    const { setTimeout: original } = ServerResponse.prototype;
    sinon.replace(ServerResponse.prototype, 'setTimeout', function (this: ServerResponse, _ms, callback) {
      return original.call(this, 100, callback);
    });
    const cursor = watchCursors();
    const answer = await begin();
    await eventually(() => cursor().killed, 'the end of the cursor');
    answer.destroy();
  });
});

async function openCursors(): Promise<number> {
  const status = await mongoose.connection.db?.admin().serverStatus();
  return status?.metrics.cursor.open.total ?? expect.fail('the database does not count its cursors');
}
