import { isDeepStrictEqual } from 'node:util';
import { inlineCode } from 'discord.js';
import { z } from 'zod';
import { type DraftOwner, dropDraft, keepDraft, readDraft } from '../../../core/drafts/review-drafts.js';
import {
  besideOtherBotsOf,
  changesOf,
  peopleChangedBy,
  rolesAboveOf,
} from '../../../features/configuration/config-changes.js';
import { guildConfig, observingConfig } from '../../../features/configuration/config-document.js';
import {
  applyConfig,
  type ConfigPlan,
  planConfig,
  proposeConfig,
  readConfig,
} from '../../../features/configuration/config-service.js';
import { type RoleWarning, roleWarnings } from '../../../features/mappings/mapping-status.js';
import { rolesGiven } from '../../../features/mappings/whole-group.js';
import { InvalidRequest, VersionMismatch } from '../../../lib/errors.js';
import { t } from '../../../lib/translate.js';
import { readYaml, yamlOf } from '../../../lib/yaml-text.js';
import { type GivenFile, readGivenFile } from '../../../platforms/discord/attachments.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { componentId } from '../component-id.js';
import { otherBotsButtons, otherBotsLine } from '../other-bots-question.js';
import { card, note, pressButton, type Reply, rowOf } from '../replies/reply.js';
import { changing } from '../replies/reply-change.js';
import { aboveLine, dangerLine } from '../replies/reply-lists.js';
import type { Entrance } from './command-access.js';
import { pressable } from './command-mention.js';

/** The API's limit for a JSON body (CONF-2). */
const largestFile = 1024 * 1024;
const mostChanges = 30;
const longestChange = 100;

/**
 * An uploaded configuration with its review: the entity tag it was compared with, and its dangerous roles at that
 * moment.
 */
const reviewedConfig = z.strictObject({
  wish: guildConfig,
  tag: z.string(),
  dangers: z.array(z.strictObject({ roleId: z.string(), permissions: z.array(z.string()) })),
});

const draftOf = ({ guild, actor }: Entrance): DraftOwner => ({
  guildId: guild._id,
  chatUserId: actor.id,
  kind: 'config',
});

/** Exports a guild's configuration as a file. Throws ChatPlatformUnavailable. */
export async function exportConfig({ guild }: Entrance): Promise<Reply> {
  const { config } = await readConfig(guild);
  const file = { name: `rolelink-${guild._id}.yaml`, attachment: Buffer.from(yamlOf(config)) };
  return { ...note('fine', pressable('config.exported')), files: [file] };
}

/**
 * Shows the changes a file would make and how many people they affect, and keeps the review until it is confirmed.
 * Throws as `proposeConfig` does.
 */
export async function reviewConfig(entrance: Entrance, file: GivenFile): Promise<Reply> {
  const { guild, actor } = entrance;
  const parsed = guildConfig.safeParse(readYaml(await readGivenFile(file, largestFile)));
  if (!parsed.success) {
    throw new InvalidRequest(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
  }
  const { tag } = await readConfig(guild);
  const plan = await proposeConfig(guild, actor, parsed.data, (current) => current === tag);
  const changes = changesOf(plan);
  if (changes.length === 0) return card(t('config.title'), [t('config.nothing')], 'fine', []);
  const people = await peopleChangedBy(guild, actor, plan);
  const dangers = dangersOf(plan);
  const key = await keepDraft(draftOf(entrance), { wish: parsed.data, tag, dangers });
  const { observing, otherBots } = besideOtherBotsOf(plan);
  const asks = otherBots.length > 0 && !observing;
  const lines = [
    ...linesOf(changes),
    ...dangers.map(dangerLine),
    ...aboveLine(rolesAboveOf(plan)),
    ...peopleLines(people),
  ];
  if (asks) lines.push(otherBotsLine(otherBots.map(({ name }) => name)));
  const apply = pressButton(componentId('config-apply', key), t('config.apply', { count: changes.length }));
  const buttons = asks ? otherBotsButtons('config', [key]) : [apply];
  return card(t('config.title'), lines, 'attention', rowOf(buttons));
}

/**
 * Applies exactly the configuration that was reviewed, by *Observe first* with a server that observes. Throws as
 * `applyConfig` does, and NotFound `nothing_to_answer`.
 */
export function applyReviewed(entrance: Entrance, key: string, way: 'as shown' | 'observing'): Promise<Reply> {
  return changing(entrance, async () => {
    const { guild, actor } = entrance;
    const { wish: shownWish, tag, dangers } = await readDraft(draftOf(entrance), key, reviewedConfig);
    const wish = way === 'observing' ? observingConfig(shownWish) : shownWish;
    const isAsShown = (current: string): boolean => current === tag;
    const shown = dangersOf(await planConfig(guild, actor, wish, isAsShown));
    if (!isDeepStrictEqual(shown, dangers)) throw new VersionMismatch();
    const plan = await applyConfig(guild, actor, wish, isAsShown);
    await dropDraft(draftOf(entrance), key);
    const done = plan.settings.after.mode === 'observe' ? 'config.applied_observing' : 'config.applied';
    return card(t('config.title'), [t(done, { count: changesOf(plan).length })], 'fine', []);
  });
}

function dangersOf({ mappings, snapshot, groups }: ConfigPlan): RoleWarning[] {
  const names = { facts: snapshot.facts, groups: [...snapshot.groups, ...groups.added] };
  const written = [...mappings.created, ...mappings.updated.map(({ draft }) => draft)];
  return roleWarnings([...new Set(written.flatMap((draft) => rolesGiven(draft, names)))], snapshot.facts);
}

function linesOf(changes: ReturnType<typeof changesOf>): string[] {
  const lines = changes.slice(0, mostChanges).map(({ change, what }) => `${inlineCode(change)} ${short(what)}`);
  const more = changes.length - lines.length;
  return [...lines, ...(more > 0 ? [t('import.more', { count: more })] : [])];
}

const short = (what: string): string => verbatim(what.slice(0, longestChange));

function peopleLines(people: Awaited<ReturnType<typeof peopleChangedBy>>): string[] {
  if (people === null) return [t('config.people_unknown')];
  const { checked, changed, isWhole } = people;
  return [t(isWhole ? 'config.people' : 'config.people_part', { checked, changed })];
}
