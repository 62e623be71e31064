import { Button } from '@mantine/core';
import { useState } from 'react';
import { FindGroup, GroupList, GroupName, type GroupReference } from '../../guild/find-group.js';
import { useGuild } from '../../guild/guild-context.js';
import { useGroups } from '../../guild/use-groups.js';
import { useWords } from '../../i18n/words-provider.js';
import { TextLink } from '../../parts/link-button.js';
import { Section } from '../../parts/page.js';
import css from './setup.module.css';
import { type Setup, useChangeSetup } from './setup-queries.js';

export function GroupStep({ setup: { group }, isNext }: { setup: Setup; isNext: boolean }) {
  const { t } = useWords();
  const [isSearching, setSearching] = useState(false);
  return (
    <Section title={t('setup_page.group')}>
      {group !== null && !isSearching ? (
        <div className={css.chosen}>
          <GroupName group={group} />
          <Button size="xs" variant="default" onClick={() => setSearching(true)}>
            {t('setup_page.other_group')}
          </Button>
        </div>
      ) : (
        <ChooseGroup current={group} isNext={isNext} onChosen={() => setSearching(false)} />
      )}
    </Section>
  );
}

function ChooseGroup(props: { current: Setup['group']; isNext: boolean; onChosen: () => void }) {
  const { current, isNext, onChosen } = props;
  const { t } = useWords();
  const { guildId } = useGuild();
  const attached = [...useGroups().values()];
  const change = useChangeSetup();
  const choose = (group: GroupReference | null) => change.mutate({ group }, { onSuccess: onChosen });
  return (
    <>
      <FindGroup
        label={t('setup_page.group_find')}
        act={t('setup_page.find')}
        variant={isNext ? 'filled' : 'default'}
        isChoosing={change.isPending}
        error={change.error}
        onChoose={choose}
      />
      {attached.length > 0 && <GroupList label={t('setup_page.attached')} groups={attached} onChoose={choose} />}
      <div className={css.ways}>
        {current !== null && (
          <Button size="compact-sm" variant="subtle" onClick={() => choose(null)}>
            {t('setup_page.without_group')}
          </Button>
        )}
        <TextLink to="/g/$guildId/move" params={{ guildId }}>
          {t('move.title')}
        </TextLink>
      </div>
    </>
  );
}
