import { z } from 'zod';
import type { RobloxSandbox } from './roblox-sandbox.js';

const id = z.string().regex(/^\d+$/);
const role = z.strictObject({ name: z.string().min(1), rank: z.int().min(0).max(255) });

/** One thing that can be done to the sandbox from outside: what it takes, and how it is done. */
export interface ControlVerb {
  input: z.ZodObject;
  run: (sandbox: RobloxSandbox, input: unknown) => unknown;
}

function verb<Shape extends z.ZodRawShape>(
  shape: Shape,
  run: (sandbox: RobloxSandbox, input: z.output<z.ZodObject<Shape, z.core.$strict>>) => unknown,
): ControlVerb {
  const input = z.strictObject(shape);
  return { input, run: (sandbox, body) => run(sandbox, input.parse(body)) };
}

/** Everything that POST /sandbox/{verb} can do. */
export const controlVerbs: Readonly<Record<string, ControlVerb>> = {
  'add-user': verb(
    {
      username: z.string().min(1),
      displayName: z.string().exactOptional(),
      createdAt: z.iso
        .datetime()
        .transform((text) => new Date(text))
        .exactOptional(),
      about: z.string().exactOptional(),
      banned: z.boolean().exactOptional(),
      formerNames: z.array(z.string()).exactOptional(),
    },
    (sandbox, user) => sandbox.addUser(user),
  ),
  'rename-user': verb({ userId: id, username: z.string().min(1) }, (sandbox, { userId, username }) =>
    sandbox.renameUser(userId, username),
  ),
  'set-about': verb({ userId: id, about: z.string() }, (sandbox, { userId, about }) => sandbox.setAbout(userId, about)),
  'set-banned': verb({ userId: id, banned: z.boolean() }, (sandbox, { userId, banned }) =>
    sandbox.setBanned(userId, banned),
  ),
  'add-group': verb(
    {
      name: z.string().min(1),
      description: z.string().exactOptional(),
      ownerId: id.exactOptional(),
      roles: z.array(role).exactOptional(),
    },
    (sandbox, group) => sandbox.addGroup(group),
  ),
  'remove-group': verb({ groupId: id }, (sandbox, { groupId }) => sandbox.removeGroup(groupId)),
  'add-role': verb({ groupId: id, name: role.shape.name, rank: role.shape.rank }, (sandbox, { groupId, ...newRole }) =>
    sandbox.addGroupRole(groupId, newRole),
  ),
  'set-rank': verb({ groupId: id, userId: id, rank: role.shape.rank }, (sandbox, { groupId, userId, rank }) =>
    sandbox.setRank(groupId, userId, rank),
  ),
  'set-roles': verb({ groupId: id, userId: id, roleIds: z.array(id).min(1) }, (sandbox, { groupId, userId, roleIds }) =>
    sandbox.setGroupRoles(groupId, userId, roleIds),
  ),
  'leave-group': verb({ groupId: id, userId: id }, (sandbox, { groupId, userId }) =>
    sandbox.leaveGroup(groupId, userId),
  ),
  'inject-fault': verb(
    {
      match: z.string().transform((source) => new RegExp(source)),
      times: z.int().min(1).exactOptional(),
      delayMs: z.int().min(0).exactOptional(),
      status: z.int().min(400).max(599).exactOptional(),
      retryAfter: z.int().min(0).exactOptional(),
      dropSocket: z.boolean().exactOptional(),
      when: z.enum(['before', 'after']).exactOptional(),
      corrupt: z.enum(['truncated', 'empty_data']).exactOptional(),
    },
    (sandbox, fault) => void sandbox.inject(fault),
  ),
  'clear-faults': verb({}, (sandbox) => sandbox.clearFaults()),
};
