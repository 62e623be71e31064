import { expect } from 'chai';
import mongoose from 'mongoose';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { deviceOf } from '../../../src/core/auth/session-device.js';
import { clock } from '../../../src/lib/clock.js';
import { dayMs } from '../../../src/lib/time.js';
import { api, asPerson, cookiesOf } from '../../support/api.js';
import { buildPerson, type TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';

interface Shown {
  sessionId: string;
  device: { browser: string | null; system: string | null } | null;
  startedAt: string;
  lastUsedAt: string;
  current: boolean;
}

const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

// AUTH-51, AUTH-52, AUTH-53
describe('The sessions of a person', () => {
  const sessionsOf = async (caller: { get: (path: string) => Promise<{ body: { data: Shown[] } }> }) =>
    (await caller.get('/api/auth/me/sessions')).body.data;

  async function signInWith(userAgent: string, { chatUserId }: TestPerson) {
    const { url, discord } = await world();
    const headers = { 'user-agent': userAgent };
    const begun = await fetch(`${url}/api/auth/login?returnTo=/me`, { redirect: 'manual', headers });
    const back = discord.authorize(begun.headers.get('location') ?? '', chatUserId);
    return fetch(back, { redirect: 'manual', headers: { ...headers, cookie: cookiesOf(begun) } });
  }

  it('A session names the browser and the system of its sign-in, and stores nothing else of the user agent', async () => {
    const person = await buildPerson();
    await signInWith(`${firefox} rolelink-secret`, person);
    const [session] = await sessionsOf(await asPerson(person)).then((all) => all.filter(({ current }) => !current));
    expect(session?.device).to.deep.equal({ browser: 'firefox', system: 'windows' });
    const stored = await mongoose.connection.collection('sessions').find({ chatUserId: person.chatUserId }).toArray();
    expect(JSON.stringify(stored)).not.to.contain('rolelink-secret');
  });

  it('A user agent is shown by its first known name, and is unknown without one', () => {
    const agents: Record<string, [string | null, string | null]> = {
      [firefox]: ['firefox', 'windows'],
      'Mozilla/5.0 (Windows NT 10.0) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0': ['edge', 'windows'],
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 Version/26.0 Safari/605': ['safari', 'macos'],
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1': ['safari', 'ios'],
      'Mozilla/5.0 (Linux; Android 15) SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36': ['samsung', 'android'],
      'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) Chrome/141.0.0.0 Safari/537.36': ['chrome', 'chromeos'],
      'Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0.0.0 Safari/537.36 OPR/125': ['opera', 'linux'],
      'curl/8.5.0': [null, null],
    };
    for (const [agent, [browser, system]] of Object.entries(agents))
      expect(deviceOf(agent), agent).to.deep.equal({ browser, system });
    expect(deviceOf(undefined)).to.deep.equal({ browser: null, system: null });
  });

  it('A session shows the day of its last use, until it ends', async () => {
    const person = await buildPerson();
    const caller = await asPerson(person);
    try {
      for (let day = 0; day <= 75; day += 25) {
        const [session] = await sessionsOf(caller);
        expect(session?.lastUsedAt.slice(0, 10), `day ${day}`).to.equal(clock.now().toISOString().slice(0, 10));
        clock.jump(25 * dayMs);
      }
    } finally {
      clock.jump(-100 * dayMs);
    }
  });

  it('A person can end only their own sessions by id', async () => {
    const person = await buildPerson();
    const [here, there, stranger] = [
      await asPerson(person),
      await asPerson(person),
      await asPerson(await buildPerson()),
    ];
    const other = (await sessionsOf(here)).find(({ current }) => !current);
    const path = `/api/auth/me/sessions/${other?.sessionId}`;
    const refused = await stranger.delete(path);
    expect([refused.status, refused.body.code]).to.deep.equal([404, 'session_not_found']);
    expect((await here.delete(path)).status).to.equal(204);
    expect((await there.get('/api/auth/me')).status).to.equal(401);
    expect((await here.get('/api/auth/me')).status).to.equal(200);
    expect((await here.delete(path)).status).to.equal(404);
    const ended = { action: 'session.ended', 'target.id': person.chatUserId } as const;
    expect(await AuditLog.acrossGuilds.countDocuments(ended)).to.equal(1);
  });

  it('A person ends all sessions but the one that asks', async () => {
    const person = await buildPerson();
    const [here, there, elsewhere, stranger] = [
      await asPerson(person),
      await asPerson(person),
      await asPerson(person),
      await asPerson(await buildPerson()),
    ];
    expect((await here.delete('/api/auth/me/sessions')).status).to.equal(204);
    const seen = await Promise.all([here, there, elsewhere, stranger].map((caller) => caller.get('/api/auth/me')));
    expect(seen.map(({ status }) => status)).to.deep.equal([200, 401, 401, 200]);
    expect(await sessionsOf(here)).to.have.length(1);
  });

  it('The id that a person is shown of a session opens none', async () => {
    const person = await buildPerson();
    const [session] = await sessionsOf(await asPerson(person));
    for (const id of [session?.sessionId, session?.sessionId.slice(4)])
      expect((await api().get('/api/auth/me', { cookie: `rolelink_session=${id}` })).status).to.equal(401);
  });
});
