import { expect } from 'chai';
import { Deliveries } from '../../../src/features/webhooks/delivery-model.js';
import { WebhookEndpoints } from '../../../src/features/webhooks/endpoint-model.js';
import { clock } from '../../../src/lib/clock.js';
import { eventually, type TestGuild } from '../../support/build.js';
import { deliver, deliveriesOf, inState, type TestEndpoint, useEndpoint } from './delivery-setup.js';

/** HOOK-17: an error between a delivery's claim and its result is a failure like others. */
describe('Endpoints with an unreadable secret', () => {
  let guild: TestGuild;
  let endpoint: TestEndpoint;
  useEndpoint((ofTest, theirs) => {
    guild = ofTest;
    endpoint = theirs;
  });

  const loseSecret = async (): Promise<void> => {
    const { guildId } = guild;
    const { _id, secrets } = endpoint.endpoint;
    const lost = secrets.map((secret) => ({ ...secret, sealed: `${secret.sealed.slice(0, -4)}AAAA` }));
    await WebhookEndpoints.update({ _id, guildId }, { $set: { secrets: lost } });
  };
  const codes = async (): Promise<string[]> => {
    const { body } = await guild.api.get(guild.path);
    return body.health.map(({ code }: { code: string }) => code);
  };

  // HOOK-18
  it('Deliveries with an unreadable secret fail with a reason, show in health, and go out after a rotation', async () => {
    await loseSecret();
    await deliver(guild, endpoint, 2);
    const failed = await inStateOfBoth('retrying');
    for (const { attempts, nextAttemptAt } of failed) {
      expect(attempts.map(({ outcome }) => outcome)).to.deep.equal(['not_sent']);
      expect(attempts[0]?.error).to.contain('Rotate');
      expect((nextAttemptAt?.getTime() ?? 0) - clock.epochMs()).to.be.greaterThan(1_000);
    }
    expect(endpoint.receiver.received).to.have.length(0);
    expect(await codes()).to.include('webhook_secret_unreadable');
    const { failingSince } =
      (await WebhookEndpoints.findOne({ _id: endpoint.webhookId, guildId: guild.guildId })) ?? {};
    expect(failingSince).to.equal(undefined);

    await Deliveries.acrossGuilds.updateMany(
      { webhookId: endpoint.webhookId },
      { $set: { nextAttemptAt: new Date(clock.epochMs() + 60_000) } },
    );
    expect((await guild.api.post(`${guild.path}/webhooks/${endpoint.webhookId}/rotate-secret`)).status).to.equal(200);
    await inStateOfBoth('succeeded');
    expect(await codes()).to.not.include('webhook_secret_unreadable');
  });

  it('A webhook test with an unreadable secret names the fault', async () => {
    await loseSecret();
    const { status, body } = await guild.api.post(`${guild.path}/webhooks/${endpoint.webhookId}/test`, {});
    expect(status).to.equal(200);
    expect(body).to.include({ delivered: false });
    expect((await inState(endpoint, 'failed')).attempts[0]).to.include({ outcome: 'not_sent' });
  });

  function inStateOfBoth(state: string) {
    return eventually(async () => {
      const deliveries = await deliveriesOf(endpoint);
      return deliveries.length === 2 && deliveries.every((each) => each.state === state) ? deliveries : null;
    }, `two deliveries ${state}`);
  }
});
