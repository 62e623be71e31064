import { expect } from 'chai';
import { setupWarnings } from '../../../src/edges/operations/doctor.js';
import { setupView } from '../../../src/edges/operations/setup-view.js';
import { clock } from '../../../src/lib/clock.js';
import { api } from '../../support/api.js';
import { world } from '../../support/world.js';
import { type AdminApi, adminApi } from './admin-setup.js';

describe('/api/admin/doctor', () => {
  let admin: AdminApi;
  before(async () => {
    admin = await adminApi();
  });

  it('tells what was found at the last look, each thing by its name', async () => {
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
    expect(database?.findings).to.deep.equal([{ state: 'ok', code: 'ok', says: 'answers.', todo: null }]);
    expect((await admin.get('/api/admin/doctor')).body).to.deep.equal(body);
  });

  it('looks anew when asked to, and is then what /readyz warns of', async () => {
    const { discord } = await world();
    const { flags } = discord.application;
    discord.application.flags = 0;
    try {
      const { status, body } = await admin.post('/api/admin/doctor');
      expect(status).to.equal(200);
      const [, off] = setupView.parse(body).checks[0]?.findings ?? [];
      expect(off).to.include({ state: 'warning', code: 'discord_intent_off' });
      expect(off?.todo).to.contain('Server Members Intent');
      expect(setupWarnings()).to.include('discord_intent_off');
    } finally {
      discord.application.flags = flags;
    }
    const mended = setupView.parse((await admin.post('/api/admin/doctor')).body);
    expect(mended.checks[0]?.findings.map(({ state }) => state)).to.deep.equal(['ok']);
    expect(setupWarnings()).not.to.include('discord_intent_off');
    expect((await admin.get('/api/admin/doctor')).body.lookedAt).to.equal(mended.lookedAt);
  });

  it('is not there for everybody else', async () => {
    expect((await api().get('/api/admin/doctor')).status).to.equal(401);
  });
});
