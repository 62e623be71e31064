import type { VerificationMethod } from '../../../src/core/settings/guild-settings.js';
import { type Applicant, buildApplicant } from '../../features/verification/verification-setup.js';
import { type Api, type ApiAnswer, asPerson } from '../../support/api.js';
import { buildGuild, type TestGuild } from '../../support/build.js';

/** A person with a browser in front of their verification's page. */
export interface Visitor extends Applicant {
  me: Api;
  page: string;
}

export async function buildVisitor(
  options: { method?: VerificationMethod; guild?: TestGuild; settings?: { methods: VerificationMethod[] } } = {},
): Promise<Visitor> {
  const guild = options.guild ?? (await buildGuild({ name: 'Café \u202e<Owls \u200b& Co>' }));
  const applicant = await buildApplicant({ ...options, guild });
  return { ...applicant, me: await asPerson(applicant.person), page: `/verify/${applicant.token}` };
}

export function submit({ me, page }: Visitor, fields: Record<string, string>): Promise<ApiAnswer> {
  const body = new URLSearchParams(fields).toString();
  return me.post(page, body, { 'content-type': 'application/x-www-form-urlencoded' });
}

/** Sends a form and follows its redirect back to the page. */
export async function submitAndFollow(visitor: Visitor, fields: Record<string, string>): Promise<ApiAnswer> {
  const answer = await submit(visitor, fields);
  if (answer.status !== 303) throw new Error(`the form was answered ${answer.status}: ${answer.body}`);
  return visitor.me.get(answer.headers.get('location') ?? '');
}

/** Answers the page's question whether an account is the person's: with all that its form holds, as a browser does. */
export async function answerClaim(visitor: Visitor, action: 'confirm' | 'reject'): Promise<ApiAnswer> {
  return submit(visitor, { action, ...hiddenFields((await visitor.me.get(visitor.page)).body) });
}

export function hiddenFields(html: string): Record<string, string> {
  const found = html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g);
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]));
}

export function wordsOf(html: string): string {
  const body = /<main>([\s\S]*)<\/main>/.exec(html)?.[1] ?? '';
  return plainText(body.replace(/<[^>]+>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

/** The page's alert text, or null. */
export function alertOf(html: string): string | null {
  const found = /<p class="notice" role="alert">([^<]*)<\/p>/.exec(html)?.[1];
  return found === undefined ? null : plainText(found);
}

const plainText = (text: string): string =>
  text
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
