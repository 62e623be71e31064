import { expect } from 'chai';
import { Signal } from '../../src/lib/signal.js';

describe('Signal', () => {
  it('A signal calls each listener with the emitted value and returns their answers in order', () => {
    const added = new Signal<[left: number, right: number], number>();
    added.on((left, right) => left + right);
    added.on((left, right) => left * right);
    expect(added.emit(3, 4)).to.deep.equal([7, 12]);
  });

  it('A signal calls the remaining listeners after one is removed', () => {
    const heard: string[] = [];
    const news = new Signal<[text: string], unknown>();
    const remove = news.on((text) => heard.push(`first ${text}`));
    news.on((text) => heard.push(`second ${text}`));
    remove();
    news.emit('news');
    expect(heard).to.deep.equal(['second news']);
  });

  it('A signal without listeners makes no call', () => {
    expect(new Signal().emit()).to.deep.equal([]);
  });
});
