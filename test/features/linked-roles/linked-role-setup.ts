import { trusted } from 'mongoose';
import { config, useConfig } from '../../../src/config/config.js';
import { linkedFacts } from '../../../src/config/linked-facts.js';
import { registerLinkedRoles } from '../../../src/edges/operations/linked-role-records.js';
import { type LinkedRole, LinkedRoles } from '../../../src/features/linked-roles/linked-role-model.js';
import { writeLinkedRoles } from '../../../src/features/linked-roles/linked-role-service.js';
import { clock } from '../../../src/lib/clock.js';
import { poke } from '../../../src/platforms/jobs/standing.js';
import { cookiesOf } from '../../support/api.js';
import { eventually, type TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';

/** The service as if it had been started with these LINKED_ROLES. The function given back ends that, and all connections. */
export async function publish(facts: string): Promise<() => Promise<void>> {
  const { discord } = await world();
  const usual = config();
  useConfig({ ...usual, linkedRoles: linkedFacts.parse(facts) });
  await registerLinkedRoles();
  return async () => {
    await LinkedRoles.deleteMany({});
    useConfig(usual);
    discord.roleConnectionRecords([]);
    discord.verificationUrl(null);
  };
}

/** Follows a person's connection through Discord's redirect and back; returns the service's final redirect. */
export async function connect({ chatUserId }: Pick<TestPerson, 'chatUserId'>, approve = true): Promise<Response> {
  const { url, discord } = await world();
  const begun = await fetch(`${url}/linked-roles`, { redirect: 'manual' });
  if (begun.status !== 303) throw new Error(`/linked-roles was answered ${begun.status}: ${await begun.text()}`);
  const back = discord.authorize(begun.headers.get('location') ?? '', chatUserId, approve);
  return fetch(back, { redirect: 'manual', headers: { cookie: cookiesOf(begun) } });
}

export const stored = ({ chatUserId }: Pick<TestPerson, 'chatUserId'>): Promise<LinkedRole | null> =>
  LinkedRoles.findOne({ _id: chatUserId, connectedAt: trusted({ $exists: true }) }).lean<LinkedRole>();

/** Waits until Discord shows these facts about a person (undefined: none), and no update is pending. */
export async function shown(person: Pick<TestPerson, 'chatUserId'>, wanted: Facts | undefined): Promise<void> {
  const { discord } = await world();
  const asText = () => JSON.stringify(sorted(discord.roleConnection(person.chatUserId)?.metadata));
  await eventually(
    async () => {
      const now = clock.now();
      const isPaid = ((await stored(person))?.dueAt ?? new Date('2100-01-01')) > now;
      if (isPaid && asText() === JSON.stringify(sorted(wanted))) return true;
      poke(writeLinkedRoles);
      return false;
    },
    `${JSON.stringify(wanted)} on Discord`,
  );
}

type Facts = Readonly<Record<string, string>>;

const sorted = (facts: Facts | undefined) =>
  Object.entries(facts ?? { nothing: 'there' }).sort(([a], [b]) => (a < b ? -1 : 1));
