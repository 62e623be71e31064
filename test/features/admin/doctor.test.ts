import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { checkDatabase } from '../../../src/edges/operations/check-host.js';
import { setupView } from '../../../src/edges/operations/setup-view.js';
import { clock } from '../../../src/lib/clock.js';
import { fillText } from '../../../src/lib/fill-text.js';
import { metrics } from '../../../src/lib/metrics.js';
import { root } from '../../structure/source-files.js';
import { api } from '../../support/api.js';
import { world } from '../../support/world.js';
import { type AdminApi, adminApi } from './admin-setup.js';

const english: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(root, 'src/dashboard/locales/doctor/en.json'), 'utf8'),
);

describe('The doctor in the API', () => {
  let admin: AdminApi;
  before(async () => {
    admin = await adminApi();
  });

  afterEach(() => clock.restore());

  // API-73
  it('The API returns the findings of the doctor’s last check, each by its name', async () => {
    await admin.post('/api/admin/doctor');
    const { status, body } = await admin.get('/api/admin/doctor');
    expect(status).to.equal(200);
    const { lookedAt, checks } = setupView.parse(body);
    expect(Date.parse(lookedAt)).to.be.at.most(clock.epochMs());
    expect(checks.map(({ name }) => name)).to.include.members([
      'Discord application',
      'Disk',
      'PUBLIC_URL',
      'Database',
    ]);
    const database = checks.find(({ name }) => name === 'Database');
    // Other tests' servers name experiences, of which it tells too.
    const known = database?.findings.filter(({ code }) => code.startsWith('database_'));
    expect(known).to.deep.equal([{ state: 'ok', code: 'database_ok', params: {}, says: 'responds.', todo: null }]);
    expect((await admin.get('/api/admin/doctor')).body).to.deep.equal(body);
    // The dashboard's English text for each code and its values is the same.
    for (const { code, params, says, todo } of checks.flatMap(({ findings }) => findings)) {
      expect(fillText(english[`finding.${code}`] ?? '', params, 'en'), code).to.equal(says);
      if (todo !== null) expect(fillText(english[`todo.${code}`] ?? '', params, 'en'), code).to.equal(todo);
    }
  });

  // API-73
  it('The doctor checks again on request, and /readyz and /metrics then warn of its findings', async () => {
    const { discord } = await world();
    const warned = async () => {
      const { body } = await api().get('/readyz');
      return [
        body.warnings.includes('discord_intent_off'),
        (await metrics.metrics()).includes('{code="discord_intent_off"} 1'),
      ];
    };
    const { flags } = discord.application;
    discord.application.flags = 0;
    try {
      const { status, body } = await admin.post('/api/admin/doctor');
      expect(status).to.equal(200);
      const [, off] = setupView.parse(body).checks[0]?.findings ?? [];
      expect(off).to.include({ state: 'warning', code: 'discord_intent_off' });
      expect(off?.todo).to.contain('Server Members Intent');
      expect(await warned()).to.deep.equal([true, true]);
    } finally {
      discord.application.flags = flags;
    }
    const mended = setupView.parse((await admin.post('/api/admin/doctor')).body);
    expect(mended.checks[0]?.findings.map(({ state }) => state)).to.deep.equal(['ok']);
    expect(await warned()).to.deep.equal([false, false]);
    expect((await admin.get('/api/admin/doctor')).body.lookedAt).to.equal(mended.lookedAt);
  });

  it('The doctor calls no database unreachable that is only slow to answer', async () => {
    const { db } = mongoose.connection;
    if (db === undefined) throw new Error('not connected');
    const command = db.command.bind(db);
    db.command = async (...of) => {
      await delay(1_200);
      return command(...of);
    };
    try {
      const codes = (await checkDatabase.run()).map(({ code }) => code);
      expect(codes).to.include('database_ok').and.not.include('database_unreachable');
    } finally {
      db.command = command;
    }
  });

  it('The API refuses the doctor’s findings without a session', async () => {
    expect((await api().get('/api/admin/doctor')).status).to.equal(401);
  });
});
