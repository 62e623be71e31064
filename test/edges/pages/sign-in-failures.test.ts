import { expect } from 'chai';
import { config, useConfig } from '../../../src/config/config.js';
import { api } from '../../support/api.js';
import { wordsOf } from './verify-pages-setup.js';

const asBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('The pages of failed sign-ins', () => {
  // API-10, AUTH-15
  it('A sign-in that is not set up is answered with a page, and for programs with a problem document', async () => {
    const before = config();
    useConfig({ ...before, discord: { ...before.discord, clientSecret: undefined } });
    try {
      const { status, headers, body } = await api().get('/api/auth/login?returnTo=/g', asBrowser);
      expect([status, headers.get('content-type')]).to.deep.equal([503, 'text/html; charset=utf-8']);
      expect(headers.get('retry-after')).to.equal('30');
      expect(wordsOf(body)).to.contain('Signing in is not set up here.').and.to.contain('Go to the start page');
      const told = await api().get('/api/auth/login?returnTo=/g');
      expect(told.headers.get('content-type')).to.equal('application/problem+json; charset=utf-8');
      expect(told.headers.get('retry-after')).to.equal('30');
      expect(told.body).to.include({ status: 503, code: 'sign_in_not_configured' });
    } finally {
      useConfig(before);
    }
  });

  it('The failure page offers a new sign-in after a refusal or a timeout', async () => {
    const { status, headers, body } = await api().get('/api/auth/callback?error=access_denied');
    expect([status, headers.get('content-type')]).to.deep.equal([400, 'text/html; charset=utf-8']);
    expect(wordsOf(body)).to.contain("You aren't signed in").and.to.contain('took too long');
    expect(body).to.contain('href="/sign-in">Sign in again</a>');
  });

  it('A sign-in that works leads on to Discord without a page', async () => {
    const { status, headers } = await api().get('/api/auth/login', asBrowser);
    expect(status).to.equal(303);
    expect(headers.get('location')).to.contain('/oauth2/authorize');
  });
});
