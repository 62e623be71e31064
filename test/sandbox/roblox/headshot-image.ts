import type Router from '@koa/router';
import { html } from '../kit/html.js';
import type { RobloxState } from './roblox-state.js';

/** Where the sandbox serves a user's head picture. */
export function headshotUrl(origin: string, userId: string): string {
  return `${origin}/images/headshot/${userId}.svg`;
}

/** Head pictures: the name's first letter on the user's own colour. */
export function headshotImages(router: Router, { users }: RobloxState): void {
  router.get('/images/headshot/:userId.svg', (ctx) => {
    const user = users.find(ctx.params.userId ?? '');
    if (!user) return;
    const hue = Number(user.id) % 360;
    ctx.type = 'image/svg+xml';
    ctx.body = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48">
      <rect width="48" height="48" fill="hsl(${hue} 60% 40%)"/>
      <text x="24" y="33" font-family="sans-serif" font-size="26" text-anchor="middle" fill="#fff">${user.username.slice(0, 1)}</text>
    </svg>`.markup;
  });
}
