import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { setupQuery } from '../../api/queries.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { ForRole } from '../../guild/for-role.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { Page } from '../../parts/page.js';
import { Answered } from '../../parts/states.js';
import { GroupStep } from './group-step.js';
import { OutcomeStep } from './outcome-step.js';
import { PanelStep } from './panel-step.js';
import { PlaceProblems } from './place-problems.js';
import { RanksStep } from './ranks-step.js';
import { type Applied, SetupDone } from './setup-done.js';
import { nextStep, useOutcome } from './setup-queries.js';
import { VerifiedStep } from './verified-step.js';

/** The way from a Roblox group to roles, as /setup leads it on Discord. Nothing is in force before *Apply*. */
export function SetupPage() {
  const { t } = useWords();
  return (
    <ForRole least="admin" title={t('nav.setup')}>
      <Steps />
    </ForRole>
  );
}

function Steps() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const setup = useQuery(setupQuery(guildId));
  const outcome = useOutcome();
  const [applied, setApplied] = useState<Applied>();
  if (applied !== undefined) return <SetupDone applied={applied} />;
  return (
    <Page title={t('nav.setup')} lead={t('setup_page.lead')}>
      <Answered query={setup} shape={pageShapes.setup.parts}>
        {(data) => {
          const next = nextStep(data, outcome);
          const { group } = data;
          return (
            <>
              <PlaceProblems place={data.place} onAgain={setup.refetch} isReading={setup.isFetching} />
              <GroupStep setup={data} isNext={next === 'group'} />
              {group !== null && <RanksStep setup={data} group={group} isNext={next === 'roles'} />}
              <VerifiedStep setup={data} isNext={next === 'roles'} />
              <PanelStep setup={data} />
              <OutcomeStep setup={data} outcome={outcome} isNext={next === 'outcome'} onApplied={setApplied} />
            </>
          );
        }}
      </Answered>
    </Page>
  );
}
