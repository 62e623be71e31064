import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { type Group, groupsQuery, type Mapping, mappingQuery, mappingsQuery } from '../../api/queries.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { Page } from '../../parts/page.js';
import { Answered } from '../../parts/states.js';
import { MappingForm } from './mapping-form.js';

export function NewMappingPage() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const { like, group, rank } = useSearch({ from: '/g/$guildId/mappings/new' });
  const mappings = useQuery({ ...mappingsQuery(guildId), enabled: like !== undefined });
  const groups = useQuery({ ...groupsQuery(guildId), enabled: like === undefined });
  if (like === undefined) {
    return (
      <Page title={t('editor.new')}>
        <Answered query={groups} shape={pageShapes.newMapping.parts}>
          {(all) => <MappingForm key={rank} rank={{ groupId: group ?? onlyOf(all), gameRoleId: rank ?? '' }} />}
        </Answered>
      </Page>
    );
  }
  const copied = (all: readonly Mapping[]) => all.find(({ mappingId }) => mappingId === like);
  return (
    <Page title={t('editor.new')}>
      <Answered query={mappings} shape={pageShapes.newMapping.parts}>
        {(all) => <MappingForm key={like} like={copied(all)} />}
      </Answered>
    </Page>
  );
}

/** A server's only group needs no choice. */
const onlyOf = ([first, another]: readonly Group[]): string => (another === undefined ? (first?.groupId ?? '') : '');

/** A mapping that is there, and the version that the form was filled with. */
export function EditMappingPage() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const { mappingId } = useParams({ from: '/g/$guildId/mappings/$mappingId' });
  const mapping = useQuery({
    ...mappingQuery(guildId, mappingId),
    // A mapping in editing is not replaced by newer data.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Page title={mapping.data?.value.name ?? t('editor.edit')}>
      <Answered query={mapping} shape={pageShapes.editMapping.parts}>
        {({ value, etag }) => <MappingForm key={etag} stored={value} etag={etag} onTheirs={mapping.refetch} />}
      </Answered>
    </Page>
  );
}
