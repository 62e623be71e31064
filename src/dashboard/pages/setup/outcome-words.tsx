import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../../client/api-types.js';
import { channelsQuery } from '../../api/queries.js';
import { conditionWords } from '../../guild/condition-words.js';
import { useGuild } from '../../guild/guild-context.js';
import { PreviewWarning } from '../../guild/preview-warning.js';
import { RoleChips } from '../../guild/role-names.js';
import { useGroups } from '../../guild/use-groups.js';
import { useWords } from '../../i18n/words-provider.js';
import { Figure, FigureList } from '../../parts/figure.js';
import css from './setup.module.css';

type Preview = Schemas['SetupPreview'];

/** The people that would change, and everything that would be written. */
export function OutcomeWords({ preview, channelId }: { preview: Preview; channelId: string | null }) {
  const { t, number } = useWords();
  const { summary, warnings, isPart } = preview;
  const figures = [
    ['setup_page.adding', summary.adding],
    ['setup_page.removing', summary.removing],
    ['setup_page.renamed', summary.renamed],
    ['setup_page.blocked', summary.blocked],
  ] as const;
  return (
    <div role="status">
      <FigureList label={t('setup_page.outcome')}>
        {figures.map(([name, value]) => (
          <Figure key={name} name={t(name)} value={number(value)} />
        ))}
      </FigureList>
      <p className={css.quiet}>
        {t(isPart ? 'what_if.part' : 'setup_page.checked', { count: summary.checked })}{' '}
        {summary.unknown > 0 && t('what_if.unknown', { count: summary.unknown })}
      </p>
      {summary.wouldStopAtBrake && !warnings.some(({ code }) => code === 'people_unknown') && (
        <Alert color="yellow" title={t('preview.brake')}>
          {t('preview.brake_why')}
        </Alert>
      )}
      {warnings.map((warning) => (
        <PreviewWarning key={`${warning.code} ${warning.detail}`} warning={warning} className={css.bad} />
      ))}
      <Writes preview={preview} channelId={channelId} />
    </div>
  );
}

function Writes({ preview, channelId }: { preview: Preview; channelId: string | null }) {
  const words = useWords();
  const { t } = words;
  const { guildId } = useGuild();
  const groups = useGroups();
  const channels = useQuery({ ...channelsQuery(guildId), enabled: channelId !== null });
  const { mappings, nickname, methods } = preview;
  const channel = channels.data?.find((each) => each.channelId === channelId);
  const none = mappings.length === 0 && nickname === null && methods === null && channelId === null;
  if (none) return <p>{t('setup_page.no_writes')}</p>;
  return (
    <ul className={css.writes} aria-label={t('setup_page.writes')}>
      {mappings.map(({ mapping: { condition }, roleIds }) => (
        <li key={JSON.stringify(condition)}>
          <RoleChips ids={roleIds} /> {t('mapping.who', { condition: conditionWords(condition, groups, words) })}
        </li>
      ))}
      {nickname !== null && (
        <li>
          {nickname.enabled ? t('setup_page.names', { template: nickname.template }) : t('setup_page.names_stay')}
        </li>
      )}
      {methods !== null && (
        <li>{t('setup_page.proof', { methods: words.either(methods.map((method) => t(`method.${method}`))) })}</li>
      )}
      {channelId !== null && <li>{t('setup_page.posts', { channel: `#${channel?.name ?? channelId}` })}</li>}
    </ul>
  );
}
