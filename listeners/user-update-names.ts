import { Events } from '@sapphire/framework';
import { keepPersonEverywhere } from '../src/features/members/member-service.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { personFromGateway } from '../src/platforms/discord/guild-members.js';

/**
 * A person's Discord name or picture changed. Discord reports it once per cached person, so all their guilds are
 * updated.
 */
export const KeepUpdatedUserName = onEvent(Events.UserUpdate, (_before, after) =>
  keepPersonEverywhere(personFromGateway(after)),
);
