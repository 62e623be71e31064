import { expect } from 'chai';
import { failureReason } from '../../../src/features/verification/failure-words.js';
import { type StoredVerification, Verifications } from '../../../src/features/verification/verification-model.js';
import { hashSecret } from '../../../src/lib/ids.js';
import { type Locale, locale, t, withLocale } from '../../../src/lib/translate.js';
import { writeAbout } from '../../features/verification/verification-setup.js';
import { api } from '../../support/api.js';
import { alertOf, buildVisitor, submit, type Visitor, wordsOf } from './verify-pages-setup.js';

const others = locale.options.filter((name) => name !== 'en');
const asBrowser = (language: string) => ({ accept: 'text/html', 'accept-language': language });

/** A verification's page after `change`, in a language. */
async function look({ me, page, token }: Visitor, language: Locale, change: Partial<StoredVerification> = {}) {
  await Verifications.updateOne({ _id: hashSecret(token) }, { $set: change });
  const { headers, body } = await me.get(page, asBrowser(language));
  expect(body).to.include(`<html lang="${language}">`);
  expect(headers.get('vary')).to.match(/accept-language/i);
  return body as string;
}

// DASH-21
describe('The language of the pages', () => {
  it('Pages are in the language of Accept-Language where it is one of ours, and else in English', async () => {
    const langOf = async (language: string) =>
      /<html lang="([^"]*)">/.exec((await api().get('/billing/return?outcome=paid', asBrowser(language))).body)?.[1];
    expect(await Promise.all(['de-AT,de;q=0.9', 'ja, pl', 'pt-BR', 'ja', ''].map(langOf))).to.deep.equal([
      'de',
      'pl',
      'pt-BR',
      'en',
      'en',
    ]);
  });

  it('Each step of a verification speaks the language of the browser', async () => {
    const words = await buildVisitor({ method: 'profile_code' });
    const roblox = await buildVisitor({ method: 'oauth' });
    for (const language of others) {
      const say = (...[key, values]: Parameters<typeof t>) => withLocale(language, () => t(key, values));
      const asked = wordsOf(await look(words, language));
      expect(asked).to.include(say('page.put_words')).and.to.include(say('page.username'));
      expect(asked).to.include(say('page.link_for', { guild: 'Café <Owls & Co>' }));
      expect(wordsOf(await look(roblox, language))).to.include(say('page.oauth_step'));
    }
  });

  it('Each reason of a failed verification is shown in the language of the browser', async () => {
    const visitor = await buildVisitor();
    for (const reason of failureReason.options) {
      const english = alertOf(await look(visitor, 'en', { state: 'failed', reason }));
      for (const language of others) {
        const told = alertOf(await look(visitor, language));
        expect(told, `${reason} in ${language}`).to.be.a('string').and.not.equal(english);
      }
    }
  });

  it('Mistakes in the form of a verification, and its end, are shown in the language of the browser', async () => {
    const visitor = await buildVisitor();
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'de' };
    const empty = await visitor.me.post(visitor.page, 'action=complete&gameUsername=+', form);
    expect(alertOf(empty.body)).to.equal('Schreibe zuerst deinen Roblox-Benutzernamen.');
    await writeAbout(visitor);
    await submit(visitor, { action: 'complete', gameUsername: visitor.person.gameUsername });
    const done = wordsOf(await look(visitor, 'de'));
    expect(done).to.include('Dein Konto ist verknüpft').and.to.include('ist jetzt mit dem Discord-Konto');
  });
});

describe('The pages of refusals', () => {
  it('Pages of refusals are in the language of the browser', async () => {
    const { me } = await buildVisitor();
    for (const path of ['/verify/nobody-has-this', '/terms', '/nowhere', '/linked-roles', '/billing/return?x=1']) {
      const pages = await Promise.all(locale.options.map((language) => me.get(path, asBrowser(language))));
      const said = pages.map(({ body }) => wordsOf(body));
      for (const [index, { status, headers, body }] of pages.entries()) {
        expect(status, path).to.be.oneOf([400, 404]);
        expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
        expect(body).to.include(`<html lang="${locale.options[index]}">`);
      }
      expect(new Set(said.map((text) => text.replace(/: [\w-]+$/, ''))).size, path).to.equal(locale.options.length);
    }
  });

  // DASH-22
  it('An unknown path answers browsers with a page, and programs with a problem document', async () => {
    const page = await api().get('/nowhere', asBrowser('en'));
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([404, 'text/html; charset=utf-8']);
    expect(wordsOf(page.body)).to.include('There is nothing at this address.').and.to.include('Go to the start page');
    for (const [path, headers] of [
      ['/nowhere', {}],
      ['/api/nowhere', asBrowser('en')],
    ] as const) {
      const told = await api().get(path, headers);
      expect(told.headers.get('content-type'), path).to.equal('application/problem+json; charset=utf-8');
      expect(told.body).to.include({ status: 404, code: 'not_found', title: 'Not found' });
    }
  });

  it('The page of the API’s reference is in English, as the document that it shows', async () => {
    expect((await api().get('/docs', asBrowser('de'))).body).to.include('<html lang="en">');
  });
});
