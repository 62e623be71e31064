import { sessionHeaders } from '../../edges/http/http-setup.js';
import { type ApiAnswer, api } from '../../support/api.js';
import { platformAdminId } from '../../support/world.js';

/** Calls the API as a signed-in platform admin. */
export interface AdminApi {
  get(path: string): Promise<ApiAnswer>;
  post(path: string, body?: unknown): Promise<ApiAnswer>;
  suspend(guildId: string, reason?: string): Promise<ApiAnswer>;
  unsuspend(guildId: string, reason?: string): Promise<ApiAnswer>;
}

export async function adminApi(): Promise<AdminApi> {
  const headers = await sessionHeaders(platformAdminId);
  const post: AdminApi['post'] = (path, body = {}) => api().post(path, body, headers);
  return {
    get: (path) => api().get(path, headers),
    post,
    suspend: (guildId, reason = 'Spam') => post(`/api/admin/guilds/${guildId}/suspend`, { reason }),
    unsuspend: (guildId, reason) => post(`/api/admin/guilds/${guildId}/unsuspend`, reason && { reason }),
  };
}
