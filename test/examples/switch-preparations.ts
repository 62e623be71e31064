import { systemActor } from '../../src/core/actors/actor.js';
import { defaultSettings } from '../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../src/core/settings/settings-service.js';
import { newPlan } from '../../src/features/sync/plan/new-plan.js';
import { Plans } from '../../src/features/sync/plan/plan-model.js';
import { clock } from '../../src/lib/clock.js';
import { sessionHeaders } from '../edges/http/http-setup.js';
import { buildGuild } from '../support/build.js';

/** A guild that only observes, with a preview that can be applied. */
export async function goLive() {
  const { guildId, ownerId, api, path } = await buildGuild();
  await writeSettings(guildId, { ...defaultSettings, mode: 'observe' });
  const { previewId } = (await api.post(`${path}/sync/preview`, {})).body;
  return { headers: await sessionHeaders(ownerId), ids: { guildId }, body: { previewId } };
}

export async function undoSwitch() {
  const { guildId, ownerId, guild } = await buildGuild();
  await Plans.insert({
    ...newPlan(guild, systemActor('test'), []),
    state: 'completed',
    goesLive: true,
    liveAt: clock.now(),
  });
  return { headers: await sessionHeaders(ownerId), ids: { guildId } };
}
