import { type APIModalInteractionResponseCallbackData, ComponentType, TextInputStyle } from 'discord.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { importSourceInWords } from '../../../features/accounts/import-source-words.js';
import {
  type GivenPeople,
  importReviewedPeople,
  type PeopleReview,
  reviewAgain,
  reviewPeople,
} from '../../../features/people-import/people-import-draft.js';
import type { PeopleImport } from '../../../features/people-import/people-import-model.js';
import {
  cancelImport,
  detailsOf,
  latestImport,
  undoPeopleImport,
} from '../../../features/people-import/people-import-service.js';
import { longestKey, mostBytes, type NicknameChoice, pairsOf } from '../../../features/people-import/people-list.js';
import { InvalidRequest, NotFound } from '../../../lib/errors.js';
import { t } from '../../../lib/translate.js';
import { readGivenFile } from '../../../platforms/discord/attachments.js';
import { type LinkSource, linkSource } from '../../../platforms/link-sources/link-sources.js';
import { componentId } from '../component-id.js';
import { observeFrom } from '../other-bots-question.js';
import { followedReply } from '../replies/followed-reply.js';
import { note, type Reply } from '../replies/reply.js';
import type { Answer, FollowedReply } from '../replies/reply-answer.js';
import { peopleProgress, peopleReview, type ReviewShown } from '../replies/reply-people-import.js';
import type { Entrance } from './command-access.js';
import type { CommandUse } from './command-in-guild.js';
import { pressable } from './command-mention.js';

/**
 * Shows a people import's effect from a list, or opens the form for another bot's key. A running import is shown
 * instead. Throws as `reviewPeople` does.
 */
export async function importPeopleByCommand(use: CommandUse, from: string): Promise<Answer> {
  const latest = await latestImport(use.guild._id);
  if (latest?.found.open === true) return followedImport(use.guild, latest.found, t('people.already'));
  if (from !== 'list') return keyForm(linkSource.parse(from));
  const file = use.options.getAttachment('file');
  if (file === null) throw new InvalidRequest([{ path: 'file', message: t('people.file_needed') }]);
  return showPeople(use, { people: pairsOf(await readGivenFile(file, mostBytes)) });
}

/** A command's options are visible in Discord's history, so a key is typed into a form. */
export function keyForm(bot: LinkSource): Answer {
  const field: APIModalInteractionResponseCallbackData['components'][number] = {
    type: ComponentType.Label,
    label: t('people.key', { bot: importSourceInWords(bot) }),
    description: t('people.key_hint'),
    component: {
      type: ComponentType.TextInput,
      custom_id: 'key',
      style: TextInputStyle.Short,
      placeholder: t(`people.key_from_${bot}`),
      max_length: longestKey,
    },
  };
  return {
    form: { custom_id: componentId('people-key', bot), title: t('people.title'), components: [field] },
    otherwise: note('attention', t('import.too_slow')),
  };
}

/**
 * Shows an import's effect and keeps the review until it is confirmed. A long list's effects follow. Throws as
 * `reviewPeople` does.
 */
export async function showPeople(entrance: Entrance, given: GivenPeople): Promise<Answer> {
  const { guild, actor } = entrance;
  return followedReview(() => reviewPeople(guild, actor, given), {});
}

/** Reads a review, and again until its effects on members are known. */
async function followedReview(read: () => Promise<PeopleReview>, shown: ReviewShown): Promise<Answer> {
  const first = await read();
  const isOver = ({ proposed }: PeopleReview) => proposed.effects.state !== 'planning';
  if (isOver(first)) return peopleReview(first, shown);
  return followedReply(first, { read, isOver, show: (review) => peopleReview(review, shown) });
}

/** Lets the server observe first, if wanted, and then shows the review under `key` without that question. */
export async function choosePeopleWay(entrance: Entrance, key: string, observes: boolean): Promise<Answer> {
  const { guild, actor } = entrance;
  if (observes) await observeFrom(entrance);
  return followedReview(() => reviewAgain(guild, actor, key), { isChosen: true });
}

/** Begins the import reviewed under `key`, or shows it again with its new numbers. */
export async function applyPeople({ guild, actor }: Entrance, key: string, nicknames: NicknameChoice): Promise<Answer> {
  const made = await importReviewedPeople(guild, actor, key, nicknames);
  if ('started' in made) return followedImport(guild, made.started);
  return peopleReview(made.review, { remark: t('people.changed'), isChosen: true });
}

/** Stops a message's import. Throws as `cancelImport` does. */
export async function cancelPeople({ guild, actor }: Entrance, importId: string): Promise<Reply> {
  return peopleProgress(await detailsOf(await cancelImport(guild, actor, importId)), {});
}

/** Takes back a message's import. Throws as `undoPeopleImport` does. */
export async function undoPeople({ guild, actor }: Entrance, importId: string): Promise<Answer> {
  return followedImport(guild, await undoPeopleImport(guild, actor, importId));
}

async function followedImport(guild: Guild, started: PeopleImport, remark?: string): Promise<FollowedReply> {
  // An observing server is on its way from another bot.
  const isMoving = (await readSettings(guild._id)).mode === 'observe';
  const read = async () => {
    const latest = await latestImport(guild._id);
    if (latest?.found._id === started._id) return latest;
    throw new NotFound('import_not_found', 'Another import has replaced it.');
  };
  return followedReply(await detailsOf(started), {
    read,
    isOver: ({ found }) => found.open !== true,
    show: (details, isLast) =>
      peopleProgress(details, { isMoving, remark: isLast ? pressable('people.use_again') : remark }),
  });
}
