import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../client/api-types.js';
import { useWords } from '../i18n/words-provider.js';
import { useGuild } from './guild-context.js';
import { permissionList } from './permission-words.js';

type Warning = Schemas['Preview']['warnings'][number];

/** Something to know before a plan is applied; a newer service's in its own English sentence. */
export function PreviewWarning({ warning, className }: { warning: Warning; className: string | undefined }) {
  const words = useWords();
  const key = `preview_warning.${warning.code}`;
  if (!words.has(key)) {
    return (
      <p lang="en" className={className}>
        {warning.detail}
      </p>
    );
  }
  const values = {
    role: warning.roleName ?? '',
    group: warning.groupName ?? '',
    permissions: permissionList(warning.permissions ?? [], words),
    removing: warning.removing ?? 0,
    checked: warning.checked ?? 0,
    share: warning.sharePercent ?? 0,
  };
  if (warning.code === 'people_unknown') return <UnknownPeople text={words.t(key, values)} />;
  return <p className={className}>{words.t(key, values)}</p>;
}

/** No fault, but a step to take: their accounts can be imported. */
function UnknownPeople({ text }: { text: string }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  return (
    <p>
      {text}{' '}
      <Link to="/g/$guildId/people" params={{ guildId }}>
        {t('nav.people')}
      </Link>
    </p>
  );
}
