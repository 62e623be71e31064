import { inlineCode } from 'discord.js';
import { changesOf, peopleChangedBy } from '../../features/configuration/config-changes.js';
import { guildConfig } from '../../features/configuration/config-document.js';
import { dropConfigDraft, keepConfigDraft, readConfigDraft } from '../../features/configuration/config-draft.js';
import { applyConfig, type ConfigPlan, planConfig, readConfig } from '../../features/configuration/config-service.js';
import { InvalidRequest } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';
import { readYaml, yamlOf } from '../../lib/yaml-text.js';
import { type GivenFile, readGivenFile } from '../../platforms/discord/attachments.js';
import { verbatim } from '../../platforms/discord/channel-messages.js';
import type { Entrance } from './command-access.js';
import { pressable } from './command-mention.js';
import { componentId } from './component-id.js';
import { card, note, pressButton, type Reply, rowOf } from './reply.js';
import { changing } from './reply-change.js';

/** As much as over the API, which takes this much in JSON (SPEC §4). */
const largestFile = 1024 * 1024;
const mostChanges = 30;
const longestChange = 100;

/** The configuration of a guild as a file. Throws ChatPlatformUnavailable. */
export async function exportConfig({ guild }: Entrance): Promise<Reply> {
  const { config } = await readConfig(guild);
  const file = { name: `rolelink-${guild._id}.yaml`, attachment: Buffer.from(yamlOf(config)) };
  return { ...note('fine', pressable('config.exported')), files: [file] };
}

/** Says what a file would change and for how many people, and keeps it until that is confirmed. Throws as `planConfig` does. */
export async function reviewConfig({ guild, actor }: Entrance, file: GivenFile): Promise<Reply> {
  const parsed = guildConfig.safeParse(readYaml(await readGivenFile(file, largestFile)));
  if (!parsed.success) {
    throw new InvalidRequest(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
  }
  const { tag } = await readConfig(guild);
  const plan = await planConfig(guild, actor, parsed.data, (current) => current === tag);
  const changes = changesOf(plan);
  if (changes.length === 0) return card(t('config.title'), [t('config.nothing')], 'fine', []);
  const people = await peopleChangedBy(guild, actor, plan);
  const key = await keepConfigDraft(guild._id, parsed.data, tag);
  const apply = pressButton(componentId('config-apply', key), t('config.apply', { count: changes.length }));
  return card(t('config.title'), [...linesOf(changes), ...peopleLines(people)], 'attention', rowOf([apply]));
}

/** Makes the configuration exactly what was shown. Throws as `applyConfig` does, NotFound `nothing_to_answer`. */
export function applyReviewed(entrance: Entrance, key: string): Promise<Reply> {
  return changing(entrance, async () => {
    const { guild, actor } = entrance;
    const { wish, tag } = await readConfigDraft(guild._id, key);
    const plan: ConfigPlan = await applyConfig(guild, actor, wish, (current) => current === tag);
    await dropConfigDraft(guild._id);
    return card(t('config.title'), [t('config.applied', { count: changesOf(plan).length })], 'fine', []);
  });
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
