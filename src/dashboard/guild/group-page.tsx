import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Group, groupsQuery } from '../api/queries.js';
import type { WordKey } from '../i18n/words.js';
import { useWords } from '../i18n/words-provider.js';
import { Page } from '../parts/page.js';
import { Answered, Empty } from '../parts/states.js';
import type { Shape } from '../parts/waiting.js';
import { useGuild } from './guild-context.js';

/** A page about one group. Its title stands before the group's name is there. */
export function GroupPage(props: {
  groupId: string;
  /** The page's name, and its title with the group's name. */
  titles: readonly [WordKey, WordKey];
  lead: WordKey;
  actions: ReactNode;
  shape: Shape;
  children: (group: Group) => ReactNode;
}) {
  const { groupId, titles, lead, actions, shape, children } = props;
  const { t } = useWords();
  const { guildId } = useGuild();
  const groups = useQuery(groupsQuery(guildId));
  const group = groups.data?.find((each) => each.groupId === groupId);
  const [name, title] = titles;
  return (
    <Page title={group === undefined ? t(name) : t(title, { group: group.name })} lead={t(lead)} actions={actions}>
      <Answered query={groups} shape={shape}>
        {() =>
          group === undefined ? (
            <Empty title={t('ranks.no_group')}>{t('groups.none_why')}</Empty>
          ) : (
            <>
              {!group.ranking && <p>{t('ranks.off')}</p>}
              {children(group)}
            </>
          )
        }
      </Answered>
    </Page>
  );
}
