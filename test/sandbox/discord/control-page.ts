import type Router from '@koa/router';
import { z } from 'zod';
import { type Html, html } from '../kit/html.js';
import { htmlPage } from '../kit/html-page.js';
import { alert, option, pageForm } from '../kit/page-form.js';
import { joinGuild, leaveGuild } from './member-changes.js';
import type { SandboxCore } from './sandbox-core.js';
import type { StoredGuild, StoredMember } from './sandbox-model.js';

const shownMembers = 100;

const membershipForm = z.object({ guildId: z.string(), userId: z.string(), action: z.enum(['join', 'leave']) });

/** A page for people: who is in which guild with which roles; they can be let in, sent away, or played. */
export function controlPage(router: Router, core: SandboxCore): void {
  const { state } = core;
  router.get('/', (ctx) => {
    ctx.body = renderPage(core);
  });

  const changeMembership = (body: unknown) => {
    const { guildId, userId, action } = membershipForm.parse(body);
    const change = action === 'join' ? joinGuild : leaveGuild;
    change(state, state.guild(guildId), userId);
    return '/';
  };
  pageForm(router, '/membership', changeMembership, (problem) => renderPage(core, problem));
}

function renderPage(core: SandboxCore, problem?: string): string {
  const guilds = [...core.state.guilds.values()];
  return htmlPage('Discord sandbox', html`${alert(problem)}${guilds.map((guild) => renderGuild(core, guild))}`);
}

function renderGuild({ state }: SandboxCore, guild: StoredGuild): Html {
  const outside = [...state.users.values()].filter(({ id, bot }) => !bot && !guild.members.has(id));
  const members = [...guild.members.values()].slice(0, shownMembers);
  return html`<h2>${guild.name}</h2>
    <p>${guild.members.size} members. The bot is ${state.hasBot(guild) ? 'here' : 'not here'}.</p>
    <table>
      <caption>Members of ${guild.name}</caption>
      <thead><tr>
        <th scope="col">Username</th><th scope="col">Nickname</th><th scope="col">Roles</th><th scope="col">Do</th>
      </tr></thead>
      <tbody>${members.map((member) => renderMember(state.user(member.userId).username, guild, member, state.bot.id))}</tbody>
    </table>
    <form method="post" action="/membership">
      <input type="hidden" name="guildId" value="${guild.id}">
      <label for="join-${guild.id}">Somebody joins ${guild.name}</label>
      <select id="join-${guild.id}" name="userId">${outside.map(({ id, username }) => option(id, username))}</select>
      <button name="action" value="join">Join</button>
    </form>`;
}

function renderMember(username: string, guild: StoredGuild, member: StoredMember, botId: string): Html {
  const roles = member.roleIds.map((id) => guild.roles.get(id)?.name).join(', ');
  const isOwner = member.userId === guild.ownerId;
  return html`<tr>
      <th scope="row">${username}${isOwner ? ' (owner)' : ''}</th><td>${member.nickname ?? ''}</td><td>${roles}</td>
      <td>${member.userId === botId ? '' : renderActions(guild.id, member.userId, isOwner)}</td>
    </tr>`;
}

function renderActions(guildId: string, userId: string, isOwner: boolean): Html {
  const leave = html`<form method="post" action="/membership">
      <input type="hidden" name="guildId" value="${guildId}"><input type="hidden" name="userId" value="${userId}">
      <button name="action" value="leave">Leave</button>
    </form>`;
  return html`<a href="/as/${userId}/in/${guildId}">Play</a> ${isOwner ? '' : leave}`;
}
