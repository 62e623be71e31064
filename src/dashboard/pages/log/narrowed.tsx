import { Button, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { logQuery } from '../../api/team-queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { actorName } from '../../guild/log-words.js';
import { useNameOf } from '../../guild/use-name-of.js';
import { useWords } from '../../i18n/words-provider.js';
import css from './log.module.css';
import { filterOf, type LogSearch } from './log-search.js';

/** The person and the thing that the log is narrowed to, by their names in the shown entries; a press shows all again. */
export function Narrowed(props: {
  search: LogSearch;
  onActor: () => unknown;
  onTarget: () => unknown;
  onInvolved: () => unknown;
}) {
  const { search, onActor, onTarget, onInvolved } = props;
  const { t } = useWords();
  const { actor, target, involves } = search;
  const nameOf = useNameOf();
  const { data } = useInfiniteQuery(logQuery(useGuild().guildId, filterOf(search)));
  const entries = data?.pages.flatMap((page) => page.data) ?? [];
  const by = entries.find((entry) => entry.actor.id === actor)?.actor;
  const about = entries.find((entry) => entry.target.id === target && entry.target.name !== null)?.target;
  const involved = (id: string): string => {
    const actors = entries.map((entry) => entry.actor).filter((each) => each.id === id);
    const named = entries.find((entry) => entry.target.id === id && entry.target.name !== null);
    return actors[0] === undefined ? (named?.target.name ?? nameOf(id) ?? id) : actorName(actors[0], t);
  };
  if (actor === undefined && target === undefined && involves === undefined) return null;
  return (
    <div className={css.chips}>
      {involves !== undefined && (
        <Button size="xs" variant="default" onClick={onInvolved}>
          {t('log.involves', { id: involved(involves) })} ✕<VisuallyHidden>{t('log.all_targets')}</VisuallyHidden>
        </Button>
      )}
      {actor !== undefined && (
        <Button size="xs" variant="default" onClick={onActor}>
          {t('log.by_actor', { id: by === undefined ? actor : actorName(by, t) })} ✕
          <VisuallyHidden>{t('log.all_actors')}</VisuallyHidden>
        </Button>
      )}
      {target !== undefined && (
        <Button size="xs" variant="default" onClick={onTarget}>
          {t('log.about_target', { id: about?.name ?? target })} ✕
          <VisuallyHidden>{t('log.all_targets')}</VisuallyHidden>
        </Button>
      )}
    </div>
  );
}
