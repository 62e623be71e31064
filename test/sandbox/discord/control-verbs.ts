import { z } from 'zod';
import { type ControlVerb, faultShape, verbsOf } from '../kit/control-api.js';
import type { DiscordSandbox } from './discord-sandbox.js';
import type { SandboxCore } from './sandbox-core.js';
import type { SandboxInteraction } from './sandbox-interaction.js';

/** How many guild members `GET /sandbox/state` shows; a guild may have a hundred thousand. */
const shownMembers = 100;

const id = z.string().regex(/^\d+$/);
const name = z.string().min(1).max(100);
const permissions = z.string().regex(/^\d+$/).transform(BigInt);
const inGuild = { guildId: id };
const ofMember = { guildId: id, userId: id };
const ofRole = { guildId: id, roleId: id };
const verb = verbsOf<DiscordSandbox>();

/** Everything that POST /sandbox/{verb} can do. */
export const controlVerbs: Readonly<Record<string, ControlVerb<DiscordSandbox>>> = {
  'add-user': verb({ username: name, globalName: name.nullable().exactOptional() }, (sandbox, user) =>
    sandbox.addUser(user),
  ),
  connect: verb({ userId: id, id, name }, (sandbox, { userId, ...connection }) => sandbox.connect(userId, connection)),
  'add-guild': verb({ name, ownerId: id, withBot: z.boolean().exactOptional() }, (sandbox, guild) =>
    sandbox.addGuild(guild),
  ),
  'add-bot': verb(inGuild, (sandbox, { guildId }) => sandbox.addBot(guildId)),
  'remove-bot': verb(inGuild, (sandbox, { guildId }) => sandbox.removeBot(guildId)),
  'update-guild': verb(
    { guildId: id, name: name.exactOptional(), ownerId: id.exactOptional() },
    (sandbox, { guildId, ...change }) => sandbox.updateGuild(guildId, change),
  ),
  'add-role': verb(
    {
      guildId: id,
      name,
      permissions: permissions.exactOptional(),
      position: z.int().min(1).exactOptional(),
      managed: z.boolean().exactOptional(),
    },
    (sandbox, { guildId, ...input }) => {
      const role = sandbox.addRole(guildId, input);
      return { ...role, permissions: String(role.permissions) };
    },
  ),
  'update-role': verb(
    { ...ofRole, name: name.exactOptional(), permissions: permissions.exactOptional() },
    (sandbox, { guildId, roleId, ...change }) => sandbox.updateRole(guildId, roleId, change),
  ),
  'move-role': verb({ ...ofRole, position: z.int().min(1) }, (sandbox, { guildId, roleId, position }) =>
    sandbox.moveRole(guildId, roleId, position),
  ),
  'delete-role': verb(ofRole, (sandbox, { guildId, roleId }) => sandbox.deleteRole(guildId, roleId)),
  join: verb(ofMember, (sandbox, { guildId, userId }) => sandbox.join(guildId, userId)),
  leave: verb(ofMember, (sandbox, { guildId, userId }) => sandbox.leave(guildId, userId)),
  'set-member': verb(
    { ...ofMember, roleIds: z.array(id).exactOptional(), nickname: z.string().nullable().exactOptional() },
    (sandbox, { guildId, userId, ...change }) => sandbox.setMember(guildId, userId, change),
  ),
  command: verb(
    {
      ...ofMember,
      name,
      options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
    },
    async (sandbox, { guildId, userId, name, options }) =>
      describe(await sandbox.command(guildId, userId, name, options)),
  ),
  'context-menu': verb({ ...ofMember, name, targetUserId: id }, async (sandbox, input) =>
    describe(await sandbox.contextMenu(input.guildId, input.userId, input.name, input.targetUserId)),
  ),
  press: verb({ ...ofMember, channelId: id, messageId: id, button: name }, async (sandbox, input) => {
    const message = { id: input.messageId, channelId: input.channelId };
    return describe(await sandbox.press(input.guildId, input.userId, message, input.button));
  }),
  submit: verb({ interactionId: id, values: z.record(z.string(), z.string()) }, async (sandbox, input) =>
    describe(await sandbox.submit({ id: input.interactionId }, input.values)),
  ),
  'inject-fault': verb(faultShape, (sandbox, fault) => void sandbox.inject(fault)),
  'clear-faults': verb({}, (sandbox) => sandbox.clearFaults()),
  'drop-gateway': verb({ downMs: z.int().min(0).default(0) }, (sandbox, { downMs }) => sandbox.dropGateway(downMs)),
  'ask-reconnect': verb({}, (sandbox) => sandbox.askReconnect()),
  'invalidate-sessions': verb({}, (sandbox) => sandbox.invalidateSessions()),
};

/** The answer that a person gets: the form, or the message once it is there. */
async function describe(interaction: SandboxInteraction) {
  const { id: interactionId, acknowledgedAfterMs, ephemeral, modal } = interaction;
  const answer = modal ? { modal } : { message: await interaction.reply() };
  return { interactionId, acknowledgedAfterMs, ephemeral, ...answer };
}

/** What GET /sandbox/state shows. */
export function describeState(sandbox: DiscordSandbox, { state }: SandboxCore) {
  return {
    application: { id: state.application.id, name: state.application.name },
    users: [...state.users.values()].slice(0, shownMembers),
    guilds: [...state.guilds.values()].map((guild) => ({
      id: guild.id,
      name: guild.name,
      ownerId: guild.ownerId,
      channelId: guild.channelId,
      hasBot: state.hasBot(guild),
      roles: [...guild.roles.values()].map((role) => ({ ...role, permissions: role.permissions.toString() })),
      memberCount: guild.members.size,
      members: [...guild.members.values()].slice(0, shownMembers),
      messages: [...state.channel(guild.channelId).messages.values()],
      auditLog: guild.audit,
    })),
    requests: sandbox.requests.length,
    invalidRequests: sandbox.invalidRequests,
  };
}
