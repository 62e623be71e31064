import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { StoredAccount } from '../../src/features/accounts/account-model.js';
import type { PeopleImport } from '../../src/features/people-import/people-import-model.js';
import { type LinkSources, startLinkSources } from '../sandbox/link-sources.js';
import { eventually } from '../support/build.js';
import { KillableService } from './killable-service.js';

const [people, unknown, kills] = [200, 20, 2];
const quick = new URL('./quick-sources.js', import.meta.url).href;

let serial = 0;

interface Station {
  guildId: string;
  ownerId: string;
  /** For everybody but the owner. */
  accounts: Map<string, string>;
}

// PEOPLE-11, PEOPLE-12, PEOPLE-13, PEOPLE-14
describe('A killed import of people', () => {
  let sources: LinkSources;
  const house = new KillableService('people_kill', ['--import', quick], async () => {
    sources = await startLinkSources();
    return sources.environment;
  });
  const imports = () => house.collection<PeopleImport>('people_imports');
  const latest = ({ guildId }: Station) => imports().findOne({ guildId }, { sort: { _id: -1 } });

  before(() => house.start());
  afterEach(() => {
    sources.faults.length = 0;
    sources.asked.length = 0;
    sources.links.clear();
  });

  /** A server with people without account; the other bot knows all but some. */
  async function buildStation(count: number): Promise<Station> {
    const { discord, roblox } = house;
    serial += 1;
    const owner = discord.addUser({ username: `station${serial}` });
    const { id: guildId } = discord.addGuild({ name: 'Station', ownerId: owner.id, withBot: false });
    const accounts = new Map<string, string>();
    for (let index = 0; index < count; index += 1) {
      const { id } = discord.addUser({ username: `kept${serial}.${index}` });
      const game = roblox.addUser({ username: `Kept${serial}_${index}` });
      discord.join(guildId, id);
      accounts.set(id, game.id);
      if (index >= unknown) sources.links.set(id, game.id);
    }
    discord.addBot(guildId);
    const known = { _id: guildId, present: true };
    await eventually(() => house.collection<{ _id: string }>('guilds').findOne(known), 'the guild');
    return { guildId, ownerId: owner.id, accounts };
  }

  async function begin({ guildId, ownerId }: Station, body: object): Promise<void> {
    const headers = await house.signIn(ownerId);
    const send = async (wish: object) => {
      const url = `${house.running.url}/api/guilds/${guildId}/people/import`;
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(wish) });
      return { status: answer.status, body: JSON.parse(await answer.text()) as { reviewKey?: string } };
    };
    const { reviewKey } = (await send(body)).body;
    const { status, body: told } = await send({ ...body, dryRun: false, reviewKey });
    expect(status, JSON.stringify(told)).to.equal(202);
  }

  for (const source of ['bloxlink', 'rover', 'rowifi'] as const) {
    it(`An import of ${people} from ${source} skips no one and asks no one twice needlessly`, async () => {
      const station = await buildStation(people);
      await begin(station, { source, key: sources.key });
      const asked = () => sources.asked.length;
      await eventually(() => asked() > 30, 'the first questions');
      sources.faults.push({ status: 429, headers: { 'retry-after': '1' } });
      await eventually(() => asked() > 50, 'the wait');
      sources.faults.push('cut', { status: 503, headers: { 'retry-after': '0' } }, { status: 500 });
      for (let times = 1; times <= kills; times += 1) {
        await eventually(() => asked() > 70 * times, 'more questions');
        await delay(Math.random() * 50);
        await house.kill();
        const stored = await latest(station);
        expect(stored).to.include({ state: 'running' }).and.to.have.property('sealedKey');
        await house.start();
      }
      const done = async () => ((await latest(station))?.open === true ? null : latest(station));
      const { state, counts, total, sealedKey } = await eventually(done, 'the end', 200_000);
      // The bot is counted among the members, and not asked for.
      const shown = { state: 'completed', total: people + 2, sealedKey: undefined };
      expect({ state, total, sealedKey }).to.deep.equal(shown);
      expect(counts).to.include({ done: people + 1, imported: people - unknown, unknown: unknown + 1 });
      expect(counts).to.include({ known: 0, contradicting: 0, refused: 0, not_in_server: 0, not_found: 0 });

      const imported = await house.collection<StoredAccount>('accounts').find({ importedFrom: source }).toArray();
      const wanted = [...station.accounts].slice(unknown);
      expect(imported.map(({ _id, gameUserId }) => `${_id.split('@')[0]} ${gameUserId}`).sort()).to.deep.equal(
        wanted.map((pair) => pair.join(' ')).sort(),
      );
      const times = new Map<string, number>();
      for (const id of sources.asked) times.set(id, (times.get(id) ?? 0) + 1);
      expect([...times.keys()]).to.include.members([...station.accounts.keys()]);
      const again = [...times.values()].filter((count) => count > 1);
      expect(again.length, `asked again: ${again.join()}`).to.be.at.most(kills);
      expect(Math.max(...times.values())).to.be.at.most(2);
    });

    it(`A key that ${source} refuses ends the import of people with its first question, and is gone`, async () => {
      const station = await buildStation(unknown);
      await begin(station, { source, key: 'another-key' });
      const done = async () => ((await latest(station))?.open === true ? null : latest(station));
      const ended = await eventually(done, 'the end');
      expect(ended).to.include({ state: 'failed', fault: 'key_refused' }).and.not.to.have.property('sealedKey');
      expect(sources.asked).to.have.length(1);
    });
  }
});
