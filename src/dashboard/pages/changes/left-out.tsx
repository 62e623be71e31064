import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { useLeaveOut } from '../../guild/leave-out.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { TextLink } from '../../parts/link-button.js';
import { Answered, Failed } from '../../parts/states.js';
import css from './differences.module.css';

/** The people left out by an admin, each with the way back (OBS-117). */
export function LeftOut({ count }: { count: number }) {
  const { t } = useWords();
  return (
    <details className={css.counts}>
      <summary>{t('changes.left_out', { count })}</summary>
      <p className={css.quiet}>{t('changes.left_out_why')}</p>
      <LeftOutList />
    </details>
  );
}

function LeftOutList() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const reason = useReasonAgainst('admin');
  const leaveOut = useLeaveOut();
  const people = useQuery({
    queryKey: [...guildKey(guildId), 'left-out'],
    queryFn: () => answerOf(api.GET('/api/guilds/{guildId}/members/left-out', { params: { path: { guildId } } })),
  });
  return (
    <Answered query={people} shape={[['list', 2]]}>
      {({ data }) => (
        <>
          <Failed error={leaveOut.error} />
          <ul className={css.people}>
            {data.map(({ memberId, chatUsername: name }) => (
              <li key={memberId} className={css.person}>
                <TextLink
                  to="/g/$guildId/members"
                  params={{ guildId }}
                  search={{ member: memberId }}
                  size="sm"
                  fw={600}
                >
                  {name}
                </TextLink>
                <ActButton
                  size="xs"
                  variant="default"
                  reason={reason}
                  aria-label={`${t('left_out.include')}: ${name}`}
                  loading={leaveOut.isPending && leaveOut.variables.memberId === memberId}
                  onClick={() => leaveOut.mutate({ memberId, leftOut: false })}
                >
                  {t('left_out.include')}
                </ActButton>
              </li>
            ))}
          </ul>
        </>
      )}
    </Answered>
  );
}
