import type { AnySelectMenuInteraction, ButtonInteraction, ModalSubmitInteraction } from 'discord.js';
import { verificationMethod } from '../../../core/settings/guild-settings.js';
import type { PanelLook } from '../../../features/setup/panel-look.js';
import { changeChoices, type SetupChange, setupChange } from '../../../features/setup/setup-change.js';
import { type CompletedSetup, completeSetup } from '../../../features/setup/setup-completion.js';
import { setupStep } from '../../../features/setup/setup-model.js';
import { type MadeRoles, makeMissingRoles, makeVerifiedRole } from '../../../features/setup/setup-roles.js';
import { changeSetup, chooseGroup, openSetup, type Setup } from '../../../features/setup/setup-service.js';
import { InvalidRequest } from '../../../lib/errors.js';
import { t } from '../../../lib/translate.js';
import { refusalWords } from '../../../lib/translate-refusal.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { parseGameGroupReference } from '../../../platforms/roblox/game-groups.js';
import { searchGroups } from '../../../platforms/roblox/group-checks.js';
import { spendInDiscord } from '../../http/rate-limits.js';
import { pressable } from '../commands/command-mention.js';
import { followedResync } from '../commands/command-resync.js';
import { readLook } from '../panel-look-typed.js';
import type { Press } from '../press.js';
import type { Reply } from '../replies/reply.js';
import type { Answer } from '../replies/reply-answer.js';
import { postPanelOf } from '../replies/reply-panel.js';
import { foundPage, ownTemplate } from '../replies/reply-setup.js';
import type { Visit } from '../serve-interaction.js';
import { importForm, searchForm, wordsForm } from './setup-forms.js';
import { resumeSetup, showStep } from './setup-pages.js';

export async function pressSetup(press: Press<ButtonInteraction>): Promise<Answer> {
  const { guild, interaction, state } = press;
  const [action = '', key = ''] = state;
  if (action === 'open') return resumeSetup(press, interaction.channelId);
  const setup = await openSetup(guild, interaction.channelId);
  const step = setupStep.safeParse(action);
  if (step.success) return showStep(press, setup, step.data);
  switch (action) {
    case 'without':
      return showStep(press, await changeSetup(guild._id, { groupId: null }), 'verified');
    case 'make': {
      const made = await makeMissingRoles(guild, key);
      const notes = made === null ? [t('setup.changed')] : madeNotes(made);
      return showStep(press, await openSetup(guild, null), 'ranks', notes);
    }
    case 'make-verified':
      return makeVerified(press);
    case 'apply':
      return apply(press, setup, { key, observe: false });
    case 'observe':
      return apply(press, setup, { key, observe: true });
    default:
      return resumeSetup(press, interaction.channelId);
  }
}

export async function openSetupForm({ guild, state: [form] }: Press<ButtonInteraction>): Promise<Answer> {
  if (form === 'find') return searchForm();
  if (form === 'import') return importForm('move');
  return wordsForm((await openSetup(guild, null)).panel);
}

/** Creates the role, unless another one has been chosen in the meantime. */
async function makeVerified(press: Press<ButtonInteraction>): Promise<Answer> {
  const { guild } = press;
  const notes = { made: [], chosen: [t('setup.changed')], full: [t('setup.no_room', { count: 1 })] };
  const made = await makeVerifiedRole(guild);
  return showStep(press, await openSetup(guild, null), 'verified', notes[made]);
}

function madeNotes({ made, left }: MadeRoles): string[] {
  return [
    ...(made === 0 ? [] : [t('setup.made', { count: made })]),
    ...(left === 0 ? [] : [t('setup.no_room', { count: left })]),
  ];
}

/**
 * Writes everything, posts the panel and starts a resync, then shows the resync's progress. If the setup now differs
 * from the one shown under `key`, the new summary is shown instead.
 */
async function apply(visit: Visit, setup: Setup, shown: { key: string; observe: boolean }): Promise<Answer> {
  const { guild, actor } = visit;
  const completed = await completeSetup(guild, actor, setup, {
    ...shown,
    post: (channelId, look) => postPanelOf(visit, channelId, look),
  });
  if (completed === null) return showStep(visit, setup, 'summary', [t('setup.changed')]);
  return followedResync(completed.job, actor, [pressable('setup.applied'), ...panelNote(completed)].join('\n'));
}

function panelNote({ panel, refused }: CompletedSetup): string[] {
  if (refused !== null) return [`⚠️ ${verbatim(refusalWords(refused))}`];
  return panel === 'posted' ? [t('panel.posted')] : [];
}

export async function chooseInSetup(press: Press<AnySelectMenuInteraction>): Promise<Answer> {
  const { guild, actor, interaction, state } = press;
  const [action = ''] = state;
  const [value = null] = interaction.values;
  const setup = await openSetup(guild, interaction.channelId);
  const choose = (change: object) => changeChoices(guild, actor, chosen(change));
  switch (action) {
    case 'group':
      return showStep(press, await chooseGroup(guild, actor, value ?? ''), 'ranks');
    case 'verified':
      return showStep(press, await choose({ verifiedRoleId: value }), 'verified');
    case 'channel':
      return showStep(press, await choose({ channelId: value }), 'panel');
    case 'nickname':
      return showStep(press, await choose({ nickname: nicknameOf(setup, value) }), 'verified');
    case 'methods': {
      const methods = verificationMethod.options.filter((method) => value === 'both' || value === method);
      return showStep(press, await choose({ methods }), 'panel');
    }
    default:
      return resumeSetup(press, interaction.channelId);
  }
}

/** A choice by the rules of PATCH …/setup. A forged press can name anything. Throws InvalidRequest. */
function chosen(change: object): SetupChange {
  const read = setupChange.safeParse(change);
  if (read.success) return read.data;
  throw new InvalidRequest(read.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
}

function nicknameOf({ nickname }: Setup, value: string | null): Setup['nickname'] {
  if (value === null || value === ownTemplate) return nickname;
  return value === 'off' ? { ...nickname, enabled: false } : { enabled: true, template: value };
}

export async function submitSetup(press: Press<ModalSubmitInteraction>): Promise<Answer> {
  const { guild, interaction, state } = press;
  const [action = ''] = state;
  const { fields } = interaction;
  if (action === 'find') return findGroup(press, fields.getTextInputValue('group').trim());
  await openSetup(guild, interaction.channelId);
  return showStep(press, await changeSetup(guild._id, { panel: lookOf(fields) }), 'panel');
}

/** A link or an id names one group; a name can match several. */
async function findGroup(press: Press<ModalSubmitInteraction>, text: string): Promise<Reply> {
  const { guild, actor } = press;
  await openSetup(guild, press.interaction.channelId);
  const choose = async (reference: string) => showStep(press, await chooseGroup(guild, actor, reference), 'ranks');
  if (parseGameGroupReference(text) !== null) return choose(text);
  await spendInDiscord(actor.id, 'group_search');
  const found = await searchGroups(guild._id, text);
  const [only, another] = found;
  return only !== undefined && another === undefined ? choose(only.groupId) : foundPage(found);
}

/** Reads the panel's look from the form fields. Throws InvalidRequest. */
function lookOf(fields: ModalSubmitInteraction['fields']): PanelLook {
  const typed = (name: string): string => fields.getTextInputValue(name).trim();
  return readLook({ title: typed('title'), text: typed('text'), button: typed('button'), color: typed('color') });
}
