import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import { CircuitBreaker } from '../../../src/platforms/roblox/circuit-breaker.js';

describe('The circuit breaker', () => {
  let breaker: CircuitBreaker;

  beforeEach(() => {
    clock.freeze(new Date());
    breaker = new CircuitBreaker({ consecutiveFailures: 3, differentRequests: 2, coolDownMs: 10_000 });
  });

  const fail = (times: number) => {
    for (let i = 0; i < times; i += 1) breaker.failed(`/groups/${i}`);
  };

  it('A circuit breaker opens after the configured number of failures in a row, not before', () => {
    fail(2);
    expect(breaker.admits()).to.equal(true);
    breaker.failed('/groups/3');
    expect(breaker.isOpen).to.equal(true);
    expect(breaker.admits()).to.equal(false);
  });

  it('A circuit breaker counts only failures in a row', () => {
    fail(2);
    breaker.succeeded();
    fail(2);
    expect(breaker.isOpen).to.equal(false);
  });

  it('A circuit breaker stays closed while one request alone fails', () => {
    for (let i = 0; i < 20; i += 1) breaker.failed('/groups/1');
    expect(breaker.isOpen).to.equal(false);
    breaker.failed('/groups/2');
    expect(breaker.isOpen).to.equal(true);
  });

  it('A circuit breaker lets one caller try after the cool-down, and all callers after a success', () => {
    fail(3);
    clock.advance(9_999);
    expect(breaker.admits()).to.equal(false);
    clock.advance(1);
    expect(breaker.admits()).to.equal(true);
    expect(breaker.admits()).to.equal(false);
    breaker.succeeded();
    expect(breaker.admits()).to.equal(true);
    expect(breaker.admits()).to.equal(true);
  });

  it('A circuit breaker cools down again when the trial fails', () => {
    fail(3);
    clock.advance(10_000);
    breaker.admits();
    clock.advance(5_000);
    breaker.failed('/groups/3');
    clock.advance(9_999);
    expect(breaker.admits()).to.equal(false);
    clock.advance(1);
    expect(breaker.admits()).to.equal(true);
  });

  it('A circuit breaker allows another trial when the first one never reports back', () => {
    fail(3);
    clock.advance(10_000);
    breaker.admits();
    clock.advance(10_000);
    expect(breaker.admits()).to.equal(true);
  });
});
