import { useQuery } from '@tanstack/react-query';
import { groupsQuery, mappingsQuery } from '../../api/queries.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { LinkButton } from '../../parts/link-button.js';
import { Page } from '../../parts/page.js';
import { Answered, Empty, Waiting } from '../../parts/states.js';
import { MappingList } from './mapping-list.js';

export function MappingsPage() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const reason = useReasonAgainst('manager');
  const mappings = useQuery(mappingsQuery(guildId));
  // Without their names the sentences would be of ids first.
  const { isPending: areGroupsComing } = useQuery(groupsQuery(guildId));
  const add =
    reason === undefined ? (
      <LinkButton to="/g/$guildId/mappings/new" params={{ guildId }}>
        {t('mappings.add')}
      </LinkButton>
    ) : (
      <ActButton reason={reason}>{t('mappings.add')}</ActButton>
    );
  return (
    <Page
      title={t('nav.mappings')}
      lead={t('mappings.lead')}
      actions={
        <>
          <ImportLink />
          {add}
        </>
      }
    >
      {areGroupsComing ? (
        <Waiting lines={6} />
      ) : (
        <Answered query={mappings} lines={6}>
          {(all) =>
            all.length === 0 ? (
              <Empty title={t('mappings.none')} action={add}>
                {t('mappings.none_why')}
              </Empty>
            ) : (
              <MappingList all={all} />
            )
          }
        </Answered>
      )}
    </Page>
  );
}

function ImportLink() {
  const { t } = useWords();
  const { guildId } = useGuild();
  if (useReasonAgainst('manager') !== undefined) return null;
  return (
    <LinkButton to="/g/$guildId/mappings/import" params={{ guildId }} variant="default">
      {t('mapping_import.title')}
    </LinkButton>
  );
}
