import { Events } from '@sapphire/framework';
import { keepPersonEverywhere } from '../src/features/members/member-service.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { personFromGateway } from '../src/platforms/discord/guild-members.js';

/** Somebody changed their Discord name or picture, which Discord tells once for a person who is cached: every guild of theirs. */
export const KeepUpdatedUserName = onEvent(Events.UserUpdate, (_before, after) =>
  keepPersonEverywhere(personFromGateway(after)),
);
