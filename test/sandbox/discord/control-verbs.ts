import { z } from 'zod';
import * as guilds from './guild-changes.js';
import { changeMember, joinGuild, leaveGuild } from './member-changes.js';
import type { SandboxCore } from './sandbox-core.js';
import type { SandboxInteraction } from './sandbox-interaction.js';

const id = z.string().regex(/^\d+$/);
const name = z.string().min(1).max(100);
const permissions = z.string().regex(/^\d+$/).transform(BigInt);
const inGuild = { guildId: id };
const ofMember = { guildId: id, userId: id };
const ofRole = { guildId: id, roleId: id };

/** One thing that can be done to the sandbox from outside: what it takes, and how it is done. */
export interface ControlVerb {
  readonly input: z.ZodObject;
  readonly run: (core: SandboxCore, input: unknown) => unknown;
}

function verb<Shape extends z.ZodRawShape>(
  shape: Shape,
  run: (core: SandboxCore, input: z.output<z.ZodObject<Shape, z.core.$strict>>) => unknown,
): ControlVerb {
  const input = z.strictObject(shape);
  return { input, run: (core, body) => run(core, input.parse(body)) };
}

/** Everything that POST /sandbox/{verb} can do. */
export const controlVerbs: Readonly<Record<string, ControlVerb>> = {
  'add-user': verb({ username: name, globalName: name.exactOptional() }, ({ state }, user) => state.addUser(user)),
  'add-guild': verb({ name, ownerId: id, withBot: z.boolean().exactOptional() }, ({ state }, guild) =>
    guilds.viewGuild(guilds.createGuild(state, guild)),
  ),
  'add-bot': verb(inGuild, ({ state }, { guildId }) => guilds.addBot(state, state.guild(guildId))),
  'remove-bot': verb(inGuild, ({ state }, { guildId }) => guilds.removeBot(state, state.guild(guildId))),
  'update-guild': verb(
    { guildId: id, name: name.exactOptional(), ownerId: id.exactOptional() },
    ({ state }, { guildId, ...change }) => guilds.updateGuild(state, state.guild(guildId), change),
  ),
  'add-role': verb(
    {
      guildId: id,
      name,
      permissions: permissions.exactOptional(),
      position: z.int().min(1).exactOptional(),
      managed: z.boolean().exactOptional(),
    },
    ({ state }, { guildId, ...role }) => viewRole(guilds.addRole(state, state.guild(guildId), role)),
  ),
  'update-role': verb(
    { ...ofRole, name: name.exactOptional(), permissions: permissions.exactOptional() },
    ({ state }, { guildId, roleId, ...change }) =>
      guilds.updateRole(state, state.guild(guildId), state.role(guildId, roleId), change),
  ),
  'move-role': verb({ ...ofRole, position: z.int().min(1) }, ({ state }, { guildId, roleId, position }) =>
    guilds.moveRole(state, state.guild(guildId), state.role(guildId, roleId), position),
  ),
  'delete-role': verb(ofRole, ({ state }, { guildId, roleId }) =>
    guilds.deleteRole(state, state.guild(guildId), state.role(guildId, roleId)),
  ),
  join: verb(ofMember, ({ state }, { guildId, userId }) => joinGuild(state, state.guild(guildId), userId)),
  leave: verb(ofMember, ({ state }, { guildId, userId }) => leaveGuild(state, state.guild(guildId), userId)),
  'set-member': verb(
    { ...ofMember, roleIds: z.array(id).exactOptional(), nickname: z.string().nullable().exactOptional() },
    ({ state }, { guildId, userId, ...change }) => {
      const guild = state.guild(guildId);
      const by = { executorId: guild.ownerId, reason: null };
      changeMember(state, guild, state.member(guildId, userId), change, by);
    },
  ),
  command: verb(
    {
      ...ofMember,
      name,
      options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
    },
    async ({ people }, { guildId, userId, name, options }) =>
      describe(await people.command(guildId, userId, name, options)),
  ),
  'context-menu': verb({ ...ofMember, name, targetUserId: id }, async ({ people }, input) =>
    describe(await people.contextMenu(input.guildId, input.userId, input.name, input.targetUserId)),
  ),
  press: verb({ ...ofMember, channelId: id, messageId: id, button: name }, async ({ people }, input) => {
    const message = { id: input.messageId, channelId: input.channelId };
    return describe(await people.press(input.guildId, input.userId, message, input.button));
  }),
  submit: verb({ interactionId: id, values: z.record(z.string(), z.string()) }, async ({ people }, input) =>
    describe(await people.submit({ id: input.interactionId }, input.values)),
  ),
  'inject-fault': verb(
    {
      match: z.string().transform((source) => new RegExp(source)),
      times: z.int().min(1).exactOptional(),
      delayMs: z.int().min(0).exactOptional(),
      status: z.int().min(400).max(599).exactOptional(),
      retryAfter: z.number().min(0).exactOptional(),
      dropSocket: z.boolean().exactOptional(),
      when: z.enum(['before', 'after']).exactOptional(),
    },
    ({ faults }, fault) => void faults.inject(fault),
  ),
  'clear-faults': verb({}, ({ faults }) => faults.clear()),
  'drop-gateway': verb({ downMs: z.int().min(0).default(0) }, ({ gateway }, { downMs }) => gateway.drop(downMs)),
  'ask-reconnect': verb({}, ({ gateway }) => gateway.askReconnect()),
  'invalidate-sessions': verb({}, ({ gateway }) => gateway.invalidateSessions()),
};

/** The answer that a person gets: the form, or the message once it is there. */
async function describe(interaction: SandboxInteraction) {
  const { id: interactionId, acknowledgedAfterMs, ephemeral, modal } = interaction;
  const answer = modal ? { modal } : { message: await interaction.reply() };
  return { interactionId, acknowledgedAfterMs, ephemeral, ...answer };
}

function viewRole({ permissions: bits, ...role }: ReturnType<typeof guilds.addRole>) {
  return { ...role, permissions: bits.toString() };
}
