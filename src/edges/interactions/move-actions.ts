import type { ButtonInteraction } from 'discord.js';
import type { PassedStep } from '../../features/setup/move-steps.js';
import { passSteps, readMove, type ServerMove } from '../../features/setup/server-move.js';
import { planOfPreview } from '../../features/sync/preview/preview-service.js';
import { startResync } from '../../features/sync/resync/resync-service.js';
import { goLive } from '../../features/sync/resync/switch-service.js';
import { linkSource } from '../../platforms/link-sources/link-sources.js';
import type { Entrance } from './commands/command-access.js';
import { keyForm } from './commands/command-people-import.js';
import { previewGuild } from './commands/command-preview.js';
import { followedResync } from './commands/command-resync.js';
import { observeFrom } from './other-bots-question.js';
import type { Press } from './press.js';
import { followedReply } from './replies/followed-reply.js';
import { rowOf } from './replies/reply.js';
import type { Answer, FollowedReply } from './replies/reply-answer.js';
import { differencesPage } from './replies/reply-differences.js';
import { moveButton, moveReply } from './replies/reply-move.js';
import { importForm } from './setup/setup-forms.js';

/** The steps on the way from another bot, kept up to date while everybody is compared. Throws as `readMove` does. */
export async function showMove({ guild }: Entrance, notes: readonly string[] = []): Promise<FollowedReply> {
  const { _id: guildId } = guild;
  return followedReply<ServerMove>(await readMove(guild), {
    read: () => readMove(guild),
    isOver: ({ comparison }) => comparison.state !== 'running',
    show: (move) => moveReply(guildId, move, notes),
  });
}

/** A press under the steps. Throws as the steps themselves do. */
export async function pressMove(press: Press<ButtonInteraction>): Promise<Answer> {
  const { guild, actor, state } = press;
  switch (state[0]) {
    case 'observe':
      await observeFrom(press);
      return showMove(press);
    case 'skip':
      return pass(press, 'people');
    case 'fine':
      return pass(press, 'compare');
    case 'compare':
      await startResync(guild, actor);
      return showMove(press);
    case 'differences': {
      const shown = await differencesPage(guild, null);
      return { ...shown, components: [...shown.components, ...rowOf([moveButton()])] };
    }
    case 'live':
      return previewGuild(press);
    default:
      return showMove(press);
  }
}

async function pass(press: Press<ButtonInteraction>, step: PassedStep): Promise<Answer> {
  const { passed } = await readMove(press.guild);
  await passSteps(press.guild, [...passed, step]);
  return showMove(press);
}

/** A step's form: another bot's key, or its rules as text. */
export async function openMoveForm({ state: [what] }: Press<ButtonInteraction>): Promise<Answer> {
  const bot = linkSource.safeParse(what);
  return bot.success ? keyForm(bot.data) : importForm('move');
}

/** *Go live* under a preview: applies exactly that, and enforces from then on. Throws as `goLive` does. */
export async function goLiveWith({ guild, actor, state: [id = ''] }: Press<ButtonInteraction>): Promise<Answer> {
  return followedResync(await goLive(guild, actor, () => planOfPreview(guild, id)), actor);
}
