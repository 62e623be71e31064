import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { PushLine, pushPace } from '../../../src/features/game-pushes/push-line.js';
import { messageOf, type Push, PushedIds, topicOf } from '../../../src/features/game-pushes/push-message.js';
import { mostMessageBytes } from '../../../src/platforms/roblox/universe-messages.js';

const idsOf = (count: number, digits: number): string[] =>
  Array.from({ length: count }, (_, n) => String(10n ** BigInt(digits - 1) + BigInt(n)));

// PUSH-1, PUSH-3
describe('The message to a game', () => {
  it('A message to games names a version and the ids, or everybody, under the topic of the server', () => {
    expect(topicOf('42')).to.equal('rolelink-42');
    expect(topicOf('9'.repeat(20)).length).to.be.at.most(80);
    expect(messageOf(['1001', '1002'])).to.equal('{"v":1,"gameUserIds":["1001","1002"]}');
    expect(messageOf('everybody')).to.equal('{"v":1,"everybody":true}');
  });

  for (const digits of [4, 10, 19, 20]) {
    it(`As many ids of ${digits} digits as a message to games takes fit, and not one more`, () => {
      const ids = new PushedIds();
      const all = idsOf(400, digits);
      const first = all.findIndex((id) => !ids.add(id));
      const taken = ids.take();
      expect(taken).to.deep.equal(all.slice(0, first));
      expect(Buffer.byteLength(messageOf(taken))).to.be.at.most(mostMessageBytes);
      expect(Buffer.byteLength(messageOf([...taken, all[first] ?? '']))).to.be.greaterThan(mostMessageBytes);
      expect(ids.take()).to.deep.equal([]);
    });
  }

  it('A repeated id takes no room in a message to games', () => {
    const ids = new PushedIds();
    for (let n = 0; n < 1_000; n += 1) expect(ids.add('1001')).to.equal(true);
    expect(ids.take()).to.deep.equal(['1001']);
  });
});

// PUSH-2, PUSH-4
describe('The line of a server to its games', () => {
  const sent: { push: Push; at: number }[] = [];
  let startedAt: number;
  beforeEach(() => {
    sent.length = 0;
    startedAt = performance.now();
  });

  const lineOf = (pace: Partial<typeof pushPace>, send = async () => undefined, processes = 1): PushLine =>
    new PushLine(
      async (push) => {
        sent.push({ push, at: performance.now() - startedAt });
        await send();
      },
      { gatherMs: 30, restMs: 30, crowdMs: 300, ...pace },
      processes,
    );

  const sentBy = async (count: number) => {
    while (sent.length < count) await delay(5);
    return sent.map(({ push }) => push);
  };

  it('Changes of a second become one message to games, and Roblox gets at most 40 a minute', () => {
    expect(pushPace.gatherMs).to.equal(1_000);
    expect(60_000 / pushPace.restMs).to.be.at.most(40);
    expect(pushPace.crowdMs).to.equal(60_000);
  });

  it('Changes for games are gathered from the first on, each id once', async () => {
    const line = lineOf({});
    line.add(['1']);
    line.add(['2', '1']);
    expect(await sentBy(1)).to.deep.equal([['1', '2']]);
    expect(sent[0]?.at).to.be.greaterThan(28);
    await delay(100);
    expect(sent).to.have.length(1);
  });

  it('A change during the sending of a message to games waits for its end, and is not lost', async () => {
    let end: () => void = () => undefined;
    const line = lineOf(
      {},
      () =>
        new Promise((resolve) => {
          end = () => resolve(undefined);
        }),
    );
    line.add(['1']);
    await sentBy(1);
    line.add(['2']);
    await delay(100);
    expect(sent).to.have.length(1);
    end();
    expect(await sentBy(2)).to.deep.equal([['1'], ['2']]);
    end();
  });

  it('More changes than fit become one message to games for everybody', async () => {
    const line = lineOf({});
    line.add(idsOf(10_000, 10));
    expect(await sentBy(1)).to.deep.equal(['everybody']);
  });

  it('A lasting crowd of changes has one message to games a minute for everybody, and one at its end', async () => {
    const line = lineOf({ crowdMs: 400 });
    const crowd = idsOf(1_000, 10);
    for (let n = 0; n < 10; n += 1) {
      line.add(crowd);
      await delay(20);
    }
    line.add(crowd);
    const meanwhile = sent.length;
    await sentBy(meanwhile + 1);
    await delay(100);
    expect(sent).to.have.length(meanwhile + 1);
    expect(sent.every(({ push }) => push === 'everybody')).to.equal(true);
    const rests = sent.slice(1).map(({ at }, n) => at - (sent[n]?.at ?? 0));
    expect(rests.length, 'a crowd during the loop').to.be.at.least(1);
    expect(Math.min(...rests)).to.be.greaterThan(395);
  });

  it('After a crowd of changes, games are told a few by their ids at once', async () => {
    const line = lineOf({ crowdMs: 10_000 });
    line.add(idsOf(1_000, 10));
    await sentBy(1);
    line.add(['7']);
    expect(await sentBy(2)).to.deep.equal(['everybody', ['7']]);
  });

  it('Several processes have a part of the limit of messages to games each', async () => {
    const line = lineOf({ crowdMs: 100 }, undefined, 4);
    line.add(idsOf(1_000, 10));
    await sentBy(1);
    line.add(['7']);
    await sentBy(2);
    line.add(idsOf(1_000, 10));
    expect(await sentBy(3)).to.deep.equal(['everybody', ['7'], 'everybody']);
    const [crowd = 0, few = 0, again = 0] = sent.map(({ at }) => at);
    expect([few - crowd > 118, again - crowd > 398], sent.map(({ at }) => at).join()).to.deep.equal([true, true]);
  });

  it('A cleared line of messages to games sends nothing of the changes before', async () => {
    const line = lineOf({});
    line.add(['1']);
    line.clear();
    await delay(100);
    expect(sent).to.deep.equal([]);
    line.add(['2']);
    expect(await sentBy(1)).to.deep.equal([['2']]);
  });
});
