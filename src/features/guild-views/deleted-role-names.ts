import { namesInLog } from '../../core/audit/audit-list.js';
import type { HealthFinding } from '../../core/guilds/health-issue.js';
import { t } from '../../lib/translate.js';

/** Gives deleted roles the name that the log has for them; without one they keep their id. */
export async function withDeletedNames(guildId: string, issues: readonly HealthFinding[]): Promise<HealthFinding[]> {
  if (!issues.some(isDeleted)) return [...issues];
  const names = await namesInLog(guildId, 'role.deleted');
  return issues.map((issue) => {
    const name = isDeleted(issue) ? names.get(issue.roleId ?? '') : undefined;
    return name === undefined ? issue : { ...issue, roleName: name, detail: t('obstacle.role_deleted', { name }) };
  });
}

const isDeleted = ({ code }: HealthFinding): boolean => code === 'role_deleted';
