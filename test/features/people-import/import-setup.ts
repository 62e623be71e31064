import { expect } from 'chai';
import { eventually, type TestGuild, type TestPerson } from '../../support/build.js';

/** The answer of the API about an import. */
type ImportAnswer = Record<string, ReturnType<typeof JSON.parse>>;

export const pairOf = ({ chatUserId, gameUserId }: TestPerson) => ({ chatUserId, gameUserId });

/** Begins an import and waits for its end. */
export async function runImport(guild: TestGuild, body: object): Promise<ImportAnswer> {
  const { status, body: started } = await guild.api.post(`${guild.path}/people/import`, { ...body, dryRun: false });
  expect(status, JSON.stringify(started)).to.equal(202);
  return endOfImport(guild);
}

/** The import that began last, once it has ended. */
export async function endOfImport(guild: TestGuild): Promise<ImportAnswer> {
  const read = async (): Promise<ImportAnswer> => (await guild.api.get(`${guild.path}/people/import`)).body.import;
  await eventually(async () => (await read()).state !== 'running', 'the end of the import', 30_000);
  return read();
}
