import { expect } from 'chai';
import { DiscordAPIError } from 'discord.js';
import { cutUrl } from '../../src/lib/cut-url.js';
import { newSecret } from '../../src/lib/ids.js';
import { logger } from '../../src/lib/logger.js';
import { hasSecret } from '../support/log-canaries.js';
import { linesOf } from '../support/logged-lines.js';

const token = 'aW50ZXJhY3Rpb246MTIzNDU2Nzg5MDEyMzQ1Njc4OmFiY2RlZg';

// ENV-24
describe('Errors in the log', () => {
  const callFailed = () => {
    const url = `https://discord.com/api/v10/webhooks/123456789012345678/${token}/messages/@original?wait=true`;
    const body = { body: { content: 'sunny river quiet lamp brave stone' }, files: [] };
    return new DiscordAPIError({ code: 10062, message: 'Unknown interaction' }, 10062, 404, 'PATCH', url, body);
  };

  it('An error in the log has type, message, stack, code, status, method and a cut URL alone, as have its causes', async () => {
    const error = new Error('outer', { cause: callFailed() });
    const [line] = await linesOf(async () => logger.error({ err: error }, 'failed'));
    expect(Object.keys(line?.err ?? {})).to.have.members(['type', 'message', 'stack', 'cause']);
    const { stack, ...cause } = Object(line?.err).cause;
    expect(stack).to.contain('Unknown interaction');
    expect(cause).to.deep.equal({
      type: 'DiscordAPIError',
      message: 'Unknown interaction',
      code: 10062,
      status: 404,
      method: 'PATCH',
      url: 'https://discord.com/api/v10/webhooks/123456789012345678/:cut/messages/@original',
    });
    expect(JSON.stringify(line)).to.not.contain(token).and.not.contain('sunny');
  });

  it('An error in the log may be its own cause, and need not be an error at all', async () => {
    const error: Error = new Error('round');
    error.cause = error;
    const lines = await linesOf(async () => {
      logger.error({ err: error }, 'failed');
      logger.error({ err: 'a word' }, 'failed');
    });
    expect(lines.map(({ err }) => typeof err)).to.deep.equal(['object', 'string']);
  });

  it('The log shows of a URL where it leads, and not the secrets in it', () => {
    const secret = newSecret();
    const cuts = {
      [`/api/verification/session/${secret}`]: '/api/verification/session/:cut',
      [`/verify/${secret}?code=${secret}#x`]: '/verify/:cut',
      [`/api/guilds/123456789012345678/mappings/map_${'0'.repeat(24)}`]: `/api/guilds/123456789012345678/mappings/map_${'0'.repeat(24)}`,
      '/api/openapi.json': '/api/openapi.json',
      '/': '/',
      [`https://bot:${secret}@hooks.example/a/${secret}`]: 'https://hooks.example/a/:cut',
      '/sunny%20river/%00': '/:cut/:cut',
      [`//${secret}`]: '//:cut',
    };
    expect(Object.keys(cuts).map(cutUrl)).to.deep.equal(Object.values(cuts));
  });

  it('The log’s search for secrets finds each secret of the suite', async () => {
    const secret = newSecret();
    expect([secret, `"rlk_${secret}"`, `/verify/${secret}/x`, `Bearer ${secret}.`].map(hasSecret)).to.deep.equal(
      Array(4).fill(true),
    );
    expect(hasSecret(`/verify/${newSecret().replace(/^./, '')}/x`)).to.equal(false);
  });
});
