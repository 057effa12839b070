import { expect } from 'chai';
import { Outbox } from '../src/outbox.ts';
import type { Message } from '../src/outbox.ts';

const payload = Buffer.alloc(872);

/** An outbox with room for `messages` of one thousand bytes, all overhead included. */
function outbox(messages: number): Outbox {
  return new Outbox(messages * 1002);
}

function push(box: Outbox, ...topics: string[]): number {
  return topics.reduce((dropped, topic) => dropped + box.push(topic, payload), 0);
}

function topics(box: Outbox, backlog = true): string[] {
  const taken: string[] = [];
  for (let message = box.take(backlog); message !== undefined; message = box.take(backlog))
    taken.push(message.topic);
  return taken;
}

function taken(box: Outbox, backlog = true): Message {
  const message = box.take(backlog);
  if (message === undefined) throw new Error('The outbox is empty.');
  return message;
}

describe('the outbox', () => {
  it('keeps the newest messages and says how many it dropped', () => {
    const box = outbox(3);
    expect(push(box, 'a', 'b', 'c')).to.equal(0);
    expect(push(box, 'd', 'e')).to.equal(2);
    expect(box.waiting).to.equal(3);
    expect(topics(box)).to.deep.equal(['c', 'd', 'e']);
  });

  it('drops what waits before what is in flight', () => {
    const box = outbox(3);
    box.connected();
    push(box, 'a', 'b', 'c');
    const first = taken(box);
    expect(push(box, 'd')).to.equal(1);
    box.settle(first);
    expect(topics(box)).to.deep.equal(['c', 'd']);
  });

  it('drops what is in flight when nothing waits', () => {
    const box = outbox(1);
    box.connected();
    push(box, 'a');
    const first = taken(box);
    expect(push(box, 'b')).to.equal(1);
    box.settle(first);
    expect(box.bytes).to.be.greaterThan(0);
    expect(topics(box)).to.deep.equal(['b']);
  });

  it('drops a message that is larger than all its room, and only that', () => {
    const box = outbox(2);
    push(box, 'a');
    expect(box.push('large', Buffer.alloc(3000))).to.equal(1);
    expect(topics(box)).to.deep.equal(['a']);
  });

  it('frees the bytes of what is settled, once', () => {
    const box = outbox(3);
    push(box, 'a', 'b');
    const before = box.bytes;
    const first = taken(box);
    box.settle(first);
    box.settle(first);
    expect(box.bytes).to.equal(before / 2);
  });

  it('puts unsettled messages back in front, in order', () => {
    const box = outbox(10);
    box.connected();
    push(box, 'a', 'b', 'c', 'd');
    const first = taken(box);
    box.take(true);
    box.take(true);
    box.settle(first);
    box.disconnected();
    push(box, 'e');
    box.connected();
    push(box, 'f');
    expect(topics(box)).to.deep.equal(['b', 'c', 'd', 'e', 'f']);
  });

  it('lets live messages pass the backlog', () => {
    const box = outbox(10);
    push(box, 'old 1', 'old 2');
    box.connected();
    push(box, 'live 1', 'live 2');
    expect(taken(box, false).topic).to.equal('live 1');
    expect(taken(box, true).topic).to.equal('old 1');
    expect(taken(box, false).topic).to.equal('live 2');
    expect(box.take(false)).to.equal(undefined);
    expect(box.backlog).to.equal(1);
  });

  it('counts an attempt only of a message that was alone in flight', () => {
    const box = outbox(10);
    push(box, 'a', 'b');
    const alone = taken(box);
    box.disconnected();
    expect(alone.attempts).to.equal(1);
    expect(taken(box)).to.equal(alone);
    const second = taken(box);
    box.disconnected();
    expect([alone.attempts, second.attempts]).to.deep.equal([1, 0]);
  });

  it('stays in order over many messages', () => {
    const box = outbox(100_000);
    let next = 0;
    for (let index = 0; index < 20_000; index++) {
      push(box, String(index));
      if (index % 3 !== 0) {
        const message = taken(box);
        expect(message.topic).to.equal(String(next++));
        box.settle(message);
      }
    }
    expect(topics(box)).to.deep.equal(
      Array.from({ length: 20_000 - next }, (_, index) => String(next + index)),
    );
  });
});
