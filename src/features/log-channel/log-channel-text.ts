import { z } from 'zod';
import type { AuditAction } from '../../core/audit/audit-actions.js';
import { type AuditEntry, platformLog } from '../../core/audit/audit-model.js';
import { snowflake } from '../../lib/ids.js';
import { type TextKey, t } from '../../lib/translate.js';
import { longestMessage, verbatim } from '../../platforms/discord/channel-messages.js';
import { permissionList } from '../../platforms/discord/permission-words.js';
import { blockReason } from '../../platforms/discord/role-hierarchy.js';
import { importSource } from '../accounts/account-model.js';
import { importSourceInWords } from '../accounts/import-source-words.js';
import { fieldInWords, valueInWords } from './change-words.js';

/** The actions that admins want to read in their log channel. The rest is only in the log. */
const shownActions = [
  'billing.plan_changed',
  'group.added',
  'group.ranking_changed',
  'group.removed',
  'guild.observed',
  'guild.suspended',
  'guild.unsuspended',
  'join_request.accepted',
  'join_request.declined',
  'mapping.created',
  'mapping.removed',
  'mapping.updated',
  'mappings.imported',
  'member.included',
  'member.kicked',
  'member.left_out',
  'member.linked',
  'member.ranked',
  'member.refused',
  'member.synced',
  'member.unlinked',
  'permission.granted',
  'permission.lost',
  'resync.cancelled',
  'resync.completed',
  'resync.confirmed',
  'resync.failed',
  'resync.held',
  'resync.started',
  'role.blocked',
  'role.deleted',
  'role.unblocked',
  'settings.confirmed',
  'settings.updated',
  'teammate.activated',
  'teammate.changed',
  'teammate.invited',
  'teammate.removed',
  'token.created',
  'token.revoked',
  'verification.failed',
  'webhook.changed',
  'webhook.created',
  'webhook.disabled',
  'webhook.removed',
  'webhook.secret_rotated',
] as const satisfies readonly AuditAction[];

const shown = new Set<string>(shownActions);
const people = new Set(['member', 'account', 'teammate']);
const longestLine = 400;

export const isTold = ({ action, guildId }: AuditEntry): boolean => shown.has(action) && guildId !== platformLog;

/** Entries, one per line, as many as fit into one message, and the count of the rest. Pure except for the language. */
export function bundleText(entries: readonly AuditEntry[], more: number): string {
  const lines = entries.filter(isTold).map((entry) => cut(lineOf(entry), longestLine));
  for (let shown = lines.length; ; shown -= 1) {
    const rest = lines.length - shown + more;
    const text = [...lines.slice(0, shown), ...(rest > 0 ? [t('log.more', { count: rest })] : [])].join('\n');
    if (text.length <= longestMessage) return text;
  }
}

/** An entry as one line. People and roles are mentions, which Discord shows by their current names. */
export function lineOf(entry: AuditEntry): string {
  const target = targetOf(entry);
  const values = { actor: actorOf(entry), target, changes: changesOf(entry), ...newValuesOf(entry) };
  if (entry.action === 'member.unlinked') {
    const reason = entry.changes?.reason?.to;
    if (reason === 'transferred') return t('log.unlinked.transferred', { target });
    if (reason === 'self' || reason === 'erased') return t('log.unlinked.self', { target });
  }
  const imported = importSource.safeParse(entry.changes?.importedFrom?.to);
  if (entry.action === 'member.linked' && imported.success) {
    const { gameUserId = '' } = newValuesOf(entry);
    return t('log.linked.imported', { target, gameUserId, source: importSourceInWords(imported.data) });
  }
  const detail = entry.action === 'role.blocked' ? obstacleOf(entry) : null;
  return t(`log.${entry.action}`, { ...values, ...(detail !== null && { detail }) });
}

const obstacleChanges = z.object({
  obstacle: z.object({ to: blockReason }),
  botRoleName: z.object({ to: z.string() }).default({ to: '' }),
  permissions: z.object({ to: z.array(z.string()) }).default({ to: [] }),
});

/** The reason that a role is blocked in words; null if the entry lacks its parts. */
function obstacleOf({ target, changes }: AuditEntry): string | null {
  const parts = obstacleChanges.safeParse(changes).data;
  if (parts === undefined) return null;
  const { obstacle, botRoleName, permissions } = parts;
  if (obstacle.to === 'role_above_bot' && botRoleName.to === '') return null;
  const values = { bot: botRoleName.to, permissions: permissionList(permissions.to), words: '' };
  return verbatim(t(`obstacle.${obstacle.to}`, { name: target.name ?? target.id, ...values }));
}

function actorOf({ actor }: AuditEntry): string {
  if (actor.kind === 'user') return personInWords(actor);
  return actor.kind === 'bot_token' ? t('log.token', { name: verbatim(actor.name) }) : 'Rolelink';
}

/** An erased person has no id to mention. */
function personInWords({ id, name }: { id: string; name: string }): string {
  return snowflake.safeParse(id).success ? `<@${id}>` : `**${verbatim(name)}**`;
}

/** A mapping without a name is described by its condition. */
function targetOf({ target: { kind, id, name }, changes }: AuditEntry): string {
  if (people.has(kind)) return personInWords({ id, name: name ?? id });
  if (kind === 'role') return name === undefined ? id : `@${verbatim(name)}`;
  const condition = changes?.condition?.to ?? changes?.condition?.from;
  return `**${verbatim(name ?? (typeof condition === 'string' ? condition : id))}**`;
}

/** Values that a text may name directly: `{losing}`, `{detail}` … */
function newValuesOf({ changes = {} }: AuditEntry): Record<string, string | number> {
  const shown = (name: string, value: unknown) => (typeof value === 'number' ? value : valueInWords(name, value));
  return Object.fromEntries(Object.entries(changes).map(([name, { to }]) => [name, shown(name, to)]));
}

function changesOf({ action, changes = {} }: AuditEntry): string {
  if (action === 'member.synced') return syncInWords(changes);
  return Object.entries(changes)
    .map(([field, { from, to }]) => {
      const isNew = from === null || from === undefined;
      const before = isNew ? '' : `${valueInWords(field, from)} → `;
      return `${fieldInWords(field)}: ${before}${valueInWords(field, to)}`;
    })
    .join('; ');
}

function syncInWords({ roles, nickname }: NonNullable<AuditEntry['changes']>): string {
  const named: TextKey = nickname?.to === null ? 'log.unnamed' : 'log.named';
  return [
    ...listOf('log.got', roles?.to),
    ...listOf('log.lost', roles?.from),
    ...(nickname === undefined ? [] : [t(named, { nickname: valueInWords('nickname', nickname.to) })]),
  ].join(', ');
}

function listOf(key: 'log.got' | 'log.lost', roleIds: unknown): string[] {
  if (!Array.isArray(roleIds) || roleIds.length === 0) return [];
  return [t(key, { roles: roleIds.map((roleId) => `<@&${roleId}>`).join(' ') })];
}

const cut = (text: string, length: number): string => (text.length <= length ? text : `${text.slice(0, length - 1)}…`);
