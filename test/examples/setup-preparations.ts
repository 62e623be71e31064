import { sessionHeaders } from '../edges/http/http-setup.js';
import { buildGuild } from '../support/build.js';
import { world } from '../support/world.js';

/** A guild with a setup whose group has a rank without a role. */
async function begunSetup() {
  const { roblox } = await world();
  const { guildId, ownerId, api, path } = await buildGuild();
  const roles = Object.entries({ Guest: 0, Captain: 255 }).map(([name, rank]) => ({ name, rank }));
  const { id: groupId } = roblox.addGroup({ name: 'Harbour Crew', roles });
  const { body: setup } = await api.patch(`${path}/setup`, { group: { groupId } });
  return { setup, api, path, headers: await sessionHeaders(ownerId), ids: { guildId } };
}

export async function missingRoles() {
  const { setup, headers, ids } = await begunSetup();
  return { headers, ids, body: { key: setup.missing.key } };
}

export async function shownSetup() {
  const { api, path, headers, ids } = await begunSetup();
  const { key } = (await api.post(`${path}/setup/preview`, {})).body;
  return { headers, ids, body: { key, mode: 'enforce' } };
}
