import { useQuery } from '@tanstack/react-query';
import { groupsQuery, mappingsQuery } from '../../api/queries.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { RoleNote } from '../../guild/role-note.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { LinkButton } from '../../parts/link-button.js';
import { Page } from '../../parts/page.js';
import { Answered, Empty } from '../../parts/states.js';
import { Waiting } from '../../parts/waiting.js';
import { MappingList } from './mapping-list.js';

export function MappingsPage() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const reason = useReasonAgainst('manager');
  const mappings = useQuery(mappingsQuery(guildId));
  // Without their names the sentences would show ids first.
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
          {mappings.data?.length !== 0 && add}
        </>
      }
    >
      <RoleNote least="manager" />
      {areGroupsComing ? (
        <Waiting shape={pageShapes.mappings.parts} />
      ) : (
        <Answered query={mappings} shape={pageShapes.mappings.parts}>
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
