import { z } from 'zod';

/**
 * Every action in the log, with its description: a noun and a past participle. Entries live for a year and integrators
 * filter by these names, so a name in use never changes.
 */
export const auditActions = {
  'account.disowned': 'A person said that a change of their Roblox account was not theirs',
  'account.erased': "A person's data was erased everywhere",
  'account.exported': "A person's data was handed over to them",
  'account.linked': 'A person proved a Roblox account',
  'account.unlinked': "A person's Roblox account was unlinked everywhere",
  'account.used': 'A person chose the use of one of their Roblox accounts',
  'billing.checkout_started': 'A checkout was begun',
  'billing.plan_changed': 'The plan changed',
  'billing.portal_opened': 'The billing portal was opened',
  'billing.subscription_changed': 'The subscription changed, and the plan with it or not',
  'consent.given': 'A person let the server see and use their Roblox account',
  'consent.refused': 'A person hid their Roblox account from the server',
  'delivery.redelivered': 'A webhook delivery was sent once more',
  'group.added': 'A Roblox group was attached',
  'group.ranking_changed': 'The rules for ranking people in a Roblox group were changed',
  'group.removed': 'A Roblox group was detached',
  'guild.joined': 'The bot was added to the server',
  'guild.left': 'The bot was removed from the server',
  'guild.observed': 'A server that only observes was compared with the rules',
  'guild.suspended': 'The server was suspended by a platform admin',
  'guild.unsuspended': 'The server was restored by a platform admin',
  'join_request.accepted': 'A person asking to join a Roblox group was taken in',
  'join_request.declined': 'A request to join a Roblox group was declined',
  'linked_role.connected': 'A person connected themselves for Linked Roles on Discord',
  'linked_role.disconnected': "A person's connection for Linked Roles was ended",
  'mapping.created': 'A mapping was made',
  'mapping.removed': 'A mapping was removed',
  'mapping.updated': 'A mapping was changed',
  'mappings.imported': 'Mappings were imported',
  'member.account_back': 'Roblox shows the account of a member again',
  'member.account_gone': 'The account of a member turned out to be deleted or banned on Roblox',
  'member.included': 'A member takes part in changes again',
  'member.left_out': 'An admin left a member out of every change',
  'member.linked': 'A member was linked in the server',
  'member.kicked': 'A restricted member was kicked',
  'member.ranked': 'The rank of a person in a Roblox group was changed',
  'member.refused': 'Discord refused roles or the nickname of a member; the rest was done',
  'member.synced': "A member's roles or nickname were changed",
  'member.unlinked': 'A member was unlinked in the server',
  'panel.posted': 'A message with the Verify button was posted',
  'people.import_ended': "An import of people's Roblox accounts ended",
  'people.import_started': "An import of people's Roblox accounts began",
  'people.import_undone': "The undo of an import of people's Roblox accounts began",
  'permission.granted': 'The bot got the permission to manage roles',
  'permission.lost': 'The bot lost the permission to manage roles',
  'resync.cancelled': 'A resync was cancelled',
  'resync.completed': 'A resync was completed',
  'resync.confirmed': 'An admin let a resync go on that was held back',
  'resync.failed': 'A resync failed',
  'resync.held': 'A resync was held back, since so many would lose roles',
  'resync.started': 'A resync was started',
  'role.blocked': 'The bot cannot hand out a mapped role any more',
  'role.deleted': 'A mapped role was deleted',
  'role.unblocked': 'The bot can hand out a mapped role again',
  'session.ended': 'A person signed out',
  'session.started': 'A person signed in',
  'settings.confirmed': 'The owner let restrictions hold for people above who wrote them',
  'settings.updated': 'The settings were changed',
  'teammate.activated': 'An invited teammate came for the first time',
  'teammate.changed': 'A teammate got another role',
  'teammate.invited': 'A teammate was invited',
  'teammate.removed': 'A teammate was removed',
  'token.created': 'A bot token was made',
  'token.revoked': 'A bot token was revoked',
  'verification.claimed': 'A bot token proved an account for a person, who has to confirm it',
  'verification.completed': 'A verification was completed',
  'verification.failed': 'A proof of a verification failed',
  'verification.transfer_held': "A proof by words waits, since the account's owner proved it by signing in",
  'webhook.changed': 'A webhook endpoint was changed',
  'webhook.created': 'A webhook endpoint was made',
  'webhook.disabled': 'A webhook endpoint was turned off, by somebody or because it could not be reached',
  'webhook.enabled': 'A webhook endpoint was turned on',
  'webhook.removed': 'A webhook endpoint was removed',
  'webhook.secret_rotated': 'A webhook endpoint got a new secret',
  'webhook.tested': 'A test event was sent to a webhook endpoint',
} as const satisfies Readonly<Record<`${string}.${string}`, string>>;

export type AuditAction = keyof typeof auditActions;

// TypeScript types `Object.keys` as plain strings, although these are a constant's keys.
const names = Object.keys(auditActions) as [AuditAction, ...AuditAction[]];

export const auditAction = z.enum(names);

const nounOf = (action: AuditAction): string => action.slice(0, action.indexOf('.'));
const families = [...new Set(names.map((action): `${string}.*` => `${nounOf(action)}.*`))];

/** A log filter: one action, or a family such as `mapping.*`. */
export const actionFilter = z.enum([...families, ...names], {
  error: "must be an action as the API's description lists them, or all of a kind as in mapping.*",
});
export type ActionFilter = z.output<typeof actionFilter>;

export function actionsOf(filter: ActionFilter): AuditAction[] {
  return names.filter((action) => action === filter || `${nounOf(action)}.*` === filter);
}
