import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import mongoose from 'mongoose';
import { type Config, isVariable } from '../../config/config.js';
import { buildVersion } from '../../lib/build-version.js';
import { type DataVersion, latestVersion, versionCollection } from '../../platforms/database/data-version.js';
import type { Finding } from '../operations/finding.js';

/**
 * The output of `rolelink doctor --report`. It goes into public issues: variable names, codes and counts, and no
 * values.
 */
export interface DoctorReport {
  environment: Readonly<Record<string, string | undefined>>;
  /** Undefined if the environment has mistakes. */
  config: Config | undefined;
  /** Variables with rejected values. */
  mistakes: readonly string[];
  checks: readonly { name: string; findings: readonly Finding[] }[];
  /** Undefined if there is no database, or if it can't be opened. */
  stored: StoredCounts | undefined;
}

export interface StoredCounts {
  dataVersion: number | undefined;
  documents: Readonly<Record<string, number>>;
}

export async function countStored(): Promise<StoredCounts> {
  const { db } = mongoose.connection;
  const found = (await db?.listCollections({}, { nameOnly: true }).toArray()) ?? [];
  const names = found.map(({ name }) => name).filter((name) => /^[a-z_]+$/.test(name));
  const counts = names.sort().map(async (name) => [name, await db?.collection(name).estimatedDocumentCount()] as const);
  const version = await db?.collection<DataVersion>(versionCollection).findOne({ _id: 'data' });
  return {
    dataVersion: typeof version?.version === 'number' ? version.version : undefined,
    documents: Object.fromEntries((await Promise.all(counts)).map(([name, count = 0]) => [name, count])),
  };
}

export function reportText({ environment, config, mistakes, checks, stored }: DoctorReport): string {
  const { version, commit } = buildVersion();
  const set = Object.keys(environment).filter((name) => isVariable(name) && environment[name]?.trim());
  const server = config?.mongodbUri === '' ? 'embedded' : 'a MongoDB server';
  const rows: [string, string][] = [
    ['Rolelink', `${version}, commit ${commit}`],
    ['Node', `${process.versions.node}, V8 ${process.versions.v8}`],
    ['Platform', `${process.platform} ${process.arch}, ${systemName()}`],
    ['Machine', `${availableParallelism()} processors, ${Math.round(totalmem() / 2 ** 20)} MB of memory`],
    ['Set', set.sort().join(', ') || 'nothing'],
    ...(mistakes.length > 0 ? [['Mistaken', mistakes.join(', ')] as [string, string]] : []),
    ...(config ? [['Database', `${server}, ${dataOf(stored)}`] as [string, string]] : []),
  ];
  const findings = checks.flatMap(({ name, findings }) => findings.map((finding) => `  ${name}: ${codeOf(finding)}`));
  const counts = Object.entries(stored?.documents ?? {}).map(([name, count]) => `  ${name}: ${count}`);
  return [
    ...rows.map(([name, value]) => `${name}: ${value}`),
    ...(findings.length > 0 ? ['Findings:', ...findings] : []),
    ...(counts.length > 0 ? ['Documents:', ...counts] : []),
    '',
  ].join('\n');
}

const dataOf = (stored: StoredCounts | undefined): string =>
  stored === undefined
    ? 'not read'
    : `data version ${stored.dataVersion ?? 'none'}, and this Rolelink knows ${latestVersion()}`;

/** A finding's sentence may name servers, addresses and folders: its code does not. */
const codeOf = ({ state, code }: Finding): string => (state === code ? state : `${state} (${code})`);

function systemName(): string {
  const header: unknown = Reflect.get(process.report?.getReport() ?? {}, 'header');
  const glibc: unknown = Reflect.get(Object(header), 'glibcVersionRuntime');
  return `${releaseName()}, ${typeof glibc === 'string' ? `glibc ${glibc}` : 'no glibc'}`;
}

function releaseName(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'an unknown system';
  } catch {
    return 'an unknown system';
  }
}
