import { expect } from 'chai';
import { Signal } from '../../src/lib/signal.js';

describe('Signal', () => {
  it('calls each listener with what is emitted and returns their answers in the order in which they came', () => {
    const added = new Signal<[left: number, right: number], number>();
    added.on((left, right) => left + right);
    added.on((left, right) => left * right);
    expect(added.emit(3, 4)).to.deep.equal([7, 12]);
  });

  it('calls a removed listener no more, and the others still', () => {
    const heard: string[] = [];
    const news = new Signal<[text: string], unknown>();
    const remove = news.on((text) => heard.push(`first ${text}`));
    news.on((text) => heard.push(`second ${text}`));
    remove();
    news.emit('news');
    expect(heard).to.deep.equal(['second news']);
  });

  it('calls nobody while nobody listens', () => {
    expect(new Signal().emit()).to.deep.equal([]);
  });
});
