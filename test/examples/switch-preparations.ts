import { defaultSettings } from '../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../src/core/settings/settings-service.js';
import { Switches } from '../../src/features/sync/resync/switch-model.js';
import { clock } from '../../src/lib/clock.js';
import { newId } from '../../src/lib/ids.js';
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
  const { guildId, ownerId } = await buildGuild();
  await Switches.insert({ _id: newId('job'), guildId, at: clock.now(), state: 'made' });
  return { headers: await sessionHeaders(ownerId), ids: { guildId } };
}
