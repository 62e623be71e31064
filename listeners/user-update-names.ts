import { Events } from '@sapphire/framework';
import { keepChatUsernameEverywhere } from '../src/features/members/member-service.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** Somebody changed their Discord name, which Discord tells once for a person who is cached: every guild of theirs. */
export const KeepUpdatedUserName = onEvent(Events.UserUpdate, (_before, after) =>
  keepChatUsernameEverywhere(after.id, after.username),
);
