import type Router from '@koa/router';
import { z } from 'zod';
import { type Html, html } from '../kit/html.js';
import { htmlPage } from '../kit/html-page.js';
import { alert, option, pageForm } from '../kit/page-form.js';
import type { RobloxState } from './roblox-state.js';

/** How many people the page lists; anybody else can be typed. */
const shownUsers = 100;

const aboutForm = z.object({ username: z.string(), about: z.string() });
const rankForm = z.object({ username: z.string(), groupId: z.string(), rank: z.coerce.number().int() });

/** A page for people: change a person's About text, or their rank in a group. */
export function controlPage(router: Router, state: RobloxState): void {
  router.get('/', (ctx) => {
    ctx.body = renderPage(state);
  });

  const again = (problem: string) => renderPage(state, problem);

  const setAbout = (body: unknown) => {
    const { username, about } = aboutForm.parse(body);
    state.users.setAbout(userIdOf(state, username), about);
    return '/';
  };
  pageForm(router, '/about', setAbout, again);

  const setRank = (body: unknown) => {
    const { username, groupId, rank } = rankForm.parse(body);
    const userId = userIdOf(state, username);
    if (rank === 0) state.groups.leave(groupId, userId);
    else state.groups.setRank(groupId, userId, rank);
    return '/';
  };
  pageForm(router, '/rank', setRank, again);
}

function userIdOf(state: RobloxState, username: string): string {
  const user = state.users.findByName(username);
  if (!user) throw new Error(`There is no Roblox user called ${username}.`);
  return user.id;
}

function renderPage(state: RobloxState, problem?: string): string {
  const users = state.users.list(shownUsers);
  const groups = state.groups.list();
  return htmlPage(
    'Roblox sandbox',
    html`${alert(problem)}
    <datalist id="usernames">${users.map(({ username }) => html`<option value="${username}">`)}</datalist>
    <h2>Profile</h2>
    <form method="post" action="/about">
      ${usernameField('about-username')}
      <label for="about">About</label><textarea id="about" name="about" rows="3"></textarea>
      <button>Save the About text</button>
    </form>
    <h2>Group rank</h2>
    <form method="post" action="/rank">
      ${usernameField('rank-username')}
      <label for="group">Group</label>
      <select id="group" name="groupId">${groups.map(({ id, name }) => option(id, name))}</select>
      <label for="rank">Rank (0 leaves the group)</label>
      <input id="rank" name="rank" type="number" min="0" max="255" required>
      <button>Set the rank</button>
    </form>
    <h2>Groups</h2>
    <ul>${groups.map(
      ({ id, name, roles }) =>
        html`<li>${name} (${id}): ${roles.map((role) => `${role.name} ${role.rank}`).join(', ')}</li>`,
    )}</ul>
    <h2>People</h2>
    <table>
      <thead><tr><th scope="col">Username</th><th scope="col">Id</th><th scope="col">About</th><th scope="col">Groups</th></tr></thead>
      <tbody>${users.map(
        ({ id, username, about }) =>
          html`<tr><th scope="row">${username}</th><td>${id}</td><td>${about}</td><td>${describeGroups(state, id)}</td></tr>`,
      )}</tbody>
    </table>`,
  );
}

function usernameField(id: string): Html {
  return html`<label for="${id}">Roblox username</label>
      <input id="${id}" name="username" list="usernames" autocomplete="off" required>`;
}

function describeGroups(state: RobloxState, userId: string): string {
  return state.groups
    .groupsOf(userId)
    .map(
      (group) =>
        `${group.name}: ${group
          .findMember(userId)
          ?.roles.map((role) => role.name)
          .join(', ')}`,
    )
    .join('; ');
}
