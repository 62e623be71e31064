import { Switch, VisuallyHidden } from '@mantine/core';
import type { Mapping } from '../../api/queries.js';
import { wordsUnderGroup } from '../../guild/condition-words.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { RoleChips, useRoleName } from '../../guild/role-names.js';
import { useGroups } from '../../guild/use-groups.js';
import { useWords } from '../../i18n/words-provider.js';
import { Icon } from '../../parts/icon.js';
import { LinkButton } from '../../parts/link-button.js';
import { RowMenu } from '../../parts/row-menu.js';
import { givenBy } from './given-roles.js';
import css from './mappings.module.css';
import { RemoveMapping } from './remove-mapping.js';
import { useSwitch } from './use-switch.js';

/** One mapping as a line: its state, sentence, holder count, and actions. */
export function MappingRow({ mapping }: { mapping: Mapping }) {
  const words = useWords();
  const { t } = words;
  const { guildId } = useGuild();
  const groups = useGroups();
  const roleName = useRoleName();
  const reason = useReasonAgainst('manager');
  const turn = useSwitch(mapping);
  const { mappingId, name, condition, removeWhenUnmatched, enabled } = mapping;
  const roleIds = givenBy(mapping);
  const called = name ?? (words.list(roleIds.map(roleName)) || wordsUnderGroup(condition, groups, words));
  const edit = t(reason === undefined ? 'action.edit' : 'action.view');
  const of = (act: string) => t('action.of', { act, name: called });
  return (
    <li className={css.line}>
      <Switch
        checked={enabled}
        disabled={reason !== undefined}
        aria-label={t('mapping.switch', { name: called })}
        onChange={(event) => turn(event.currentTarget.checked)}
      />
      <div className={css.sentence}>
        <span>
          <RoleChips ids={roleIds} />
        </span>
        <span className={css.when}>
          {name !== null && <strong className={css.name}>{name}</strong>}
          {wordsUnderGroup(condition, groups, words)}
          {!removeWhenUnmatched && <span className={css.quiet}>{t('mapping.kept')}</span>}
          <MappingState mapping={mapping} />
        </span>
      </div>
      <MappingPeople people={mapping.people} />
      <div className={css.acts}>
        <LinkButton
          to="/g/$guildId/mappings/$mappingId"
          params={{ guildId, mappingId }}
          size="xs"
          variant="default"
          aria-label={of(edit)}
        >
          {edit}
        </LinkButton>
        {reason === undefined && (
          <RowMenu of={called}>
            <LinkButton
              to="/g/$guildId/mappings/new"
              params={{ guildId }}
              search={{ like: mappingId }}
              size="xs"
              variant="subtle"
              color="gray"
              aria-label={of(t('mappings.duplicate'))}
            >
              {t('mappings.duplicate')}
            </LinkButton>
            <RemoveMapping mapping={mapping} called={called} />
          </RowMenu>
        )}
      </div>
    </li>
  );
}

/** How many people the last whole plan matched; how many had the roles only where some did not. */
function MappingPeople({ people }: Pick<Mapping, 'people'>) {
  const { t, number, time } = useWords();
  if (people === null) return null;
  const { matching, holding, asOf } = people;
  const values = { matching: number(matching), holding: number(holding), time: time(asOf) };
  const words = t(matching === 0 ? 'mapping.nobody' : 'mapping.people', values);
  const isWhole = holding === matching;
  return (
    <span className={`${css.people} ${isWhole ? '' : css.lacking}`} title={words}>
      <span aria-hidden="true">
        <Icon name="people" />
        {isWhole ? values.matching : t('mapping.holders', { holding: values.holding, matching: values.matching })}
      </span>
      <VisuallyHidden>{words}</VisuallyHidden>
    </span>
  );
}

/** Why a mapping does not work, where it should. */
function MappingState({ mapping: { status, enabled, paused } }: { mapping: Mapping }) {
  const { t } = useWords();
  if (!enabled) return <span className={css.off}>{t('mapping.off')}</span>;
  if (paused !== undefined) return <span className={css.bad}>{t(`mapping.paused_${paused}`)}</span>;
  if (status === 'ok') return null;
  return <span className={css.bad}>{t(`mapping.status_${status}`)}</span>;
}
