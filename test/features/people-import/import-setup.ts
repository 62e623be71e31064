import { expect } from 'chai';
import { eventually, type TestGuild, type TestPerson } from '../../support/build.js';

type ImportAnswer = Record<string, ReturnType<typeof JSON.parse>>;

export const pairOf = ({ chatUserId, gameUserId }: TestPerson) => ({ chatUserId, gameUserId });

export async function startImport({ api, path }: Pick<TestGuild, 'api' | 'path'>, body: object) {
  const { body: shown } = await api.post(`${path}/people/import`, body);
  return api.post(`${path}/people/import`, { ...body, dryRun: false, reviewKey: shown.reviewKey });
}

/** Begins an import and waits for its end. */
export async function runImport(guild: TestGuild, body: object): Promise<ImportAnswer> {
  const { status, body: started } = await startImport(guild, body);
  expect(status, JSON.stringify(started)).to.equal(202);
  return endOfImport(guild);
}

/** The import that began last, once it has ended. */
export async function endOfImport(guild: Pick<TestGuild, 'api' | 'path'>): Promise<ImportAnswer> {
  const read = async (): Promise<ImportAnswer> => (await guild.api.get(`${guild.path}/people/import`)).body.import;
  await eventually(async () => (await read()).state !== 'running', 'the end of the import');
  return read();
}
