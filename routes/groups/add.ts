import { groupReference } from '../../src/core/groups/group-reference.js';
import { addGroup } from '../../src/core/groups/group-service.js';
import { groupView, viewGroup } from '../../src/core/groups/group-view.js';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { created } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

const input = { params: guildParams, body: groupReference };

export class AddGroup extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/guilds/:guildId/groups',
      summary: 'Attach a Roblox group, by its id or the address of its page',
      access: guildRole('manager'),
      input,
      answers: { 201: groupView },
    });
  }

  override async handle({ guild, actor, body }: Request<typeof input>) {
    return created(viewGroup(await addGroup(guild, actor, 'url' in body ? body.url : body.groupId)));
  }
}
