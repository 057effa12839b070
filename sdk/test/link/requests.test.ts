import { createSocket } from 'node:dgram';
import { expect } from 'chai';
import { ErrorCode, LinkState } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { noResponse, udp } from '@tagway/sdk/link';
import { Client, clientOf, rejection } from './client.ts';
import { Device, frame } from './device.ts';
import { until } from '../until.ts';

describe('requests with ids', () => {
  it('find their answers in any order, as many at a time as the window allows', async () => {
    await using device = await new Device().listen();
    const kept: (() => void)[] = [];
    let most = 0;
    device.script = ({ id, text, send }) => {
      kept.push(() => send(frame(id, text.toUpperCase())));
      most = Math.max(most, kept.length);
      if (kept.length === 4) for (const answer of kept.splice(0).reverse()) answer();
    };
    await using client = await clientOf(device.port, { window: 4 });
    const texts = Array.from({ length: 40 }, (_, index) => `t${index}`);
    const answers = await Promise.all(texts.map((text) => client.ask(text)));
    expect(answers).to.deep.equal(texts.map((text) => text.toUpperCase()));
    expect(most).to.equal(4);
  });

  it('wrap round their ids and leave out those whose answers may still come', async () => {
    await using device = await new Device().listen();
    const { script } = device;
    const late: (() => void)[] = [];
    device.script = ({ id, send }) => late.push(() => send(frame(id, 'LATE')));
    await using client = await clientOf(
      device.port,
      { ids: { first: 1, last: 8 }, timeout: 30 },
      { silence: 60_000 },
    );
    for (let i = 0; i < 3; i++) expect(await rejection(client.ask('x'))).to.equal(noResponse);
    device.script = script;
    for (let i = 0; i < 30; i++) expect(await client.ask(`n${i}`)).to.equal(`N${i}`);
    for (const answer of late) answer();
    await until('late answers were counted', () => client.record.counts.get('late_frames') === 3);
    expect(device.connections).to.equal(1);
  });

  it('keep at most half of the ids for late answers, so that there is always one to use', async () => {
    await using device = await new Device().listen();
    device.script = () => undefined;
    await using client = await clientOf(
      device.port,
      { ids: { first: 0, last: 3 }, timeout: 10 },
      { silence: 60_000 },
    );
    for (let i = 0; i < 20; i++) expect(await rejection(client.ask('x'))).to.equal(noResponse);
    expect(device.asked).to.have.length(20);
  });

  it('keep the connection while anybody answers, and end it when nobody does', async () => {
    await using device = await new Device().listen();
    const { script } = device;
    device.script = (asked) => (asked.text === 'dead' ? undefined : script(asked));
    await using client = await clientOf(device.port, { window: 2, timeout: 50 }, { silence: 150 });
    const end = performance.now() + 600;
    while (performance.now() < end) {
      const dead = rejection(client.ask('dead'));
      await client.ask('alive');
      expect(await dead).to.equal(noResponse);
    }
    expect(device.connections).to.equal(1);
    await until('the connection was given up', async () => {
      await rejection(client.ask('dead'));
      return device.connections > 1;
    });
    expect(client.record.links.at(-1)?.state).to.equal(LinkState.DISCONNECTED);
  });

  it('let a write pass reads that wait', async () => {
    await using device = await new Device().listen();
    await using client = await clientOf(device.port, { window: 1 });
    const reads = ['r1', 'r2', 'r3'].map((text) => client.ask(text));
    await Promise.all([...reads, client.ask('w', { urgent: true })]);
    expect(device.asked).to.deep.equal(['r1', 'w', 'r2', 'r3']);
  });

  it('can be given up by a signal, before and after they were sent', async () => {
    await using device = await new Device().listen();
    const { script } = device;
    device.script = () => undefined;
    await using client = await clientOf(device.port, { window: 1 });
    const abort = new AbortController();
    const reason = new Error('enough');
    const asking = ['a', 'b'].map((text) => rejection(client.ask(text, { signal: abort.signal })));
    await until('one was asked', () => device.asked.length === 1);
    abort.abort(reason);
    expect(await Promise.all(asking)).to.deep.equal([reason, reason]);
    device.script = script;
    expect(await client.ask('c')).to.equal('C');
    expect(device.asked).to.deep.equal(['a', 'c']);
  });

  it('can be extended, failed with a fault of the device, and all be failed', async () => {
    await using device = await new Device().listen();
    await using client = await clientOf(device.port, { timeout: 80, window: 4 });
    const ids: number[] = [];
    device.script = ({ id }) => ids.push(id);
    const begin = performance.now();
    const slow = rejection(client.ask('slow'));
    await until('it came', () => ids.length === 1);
    client.requests.extend(ids[0]!, 400);
    expect(await slow).to.equal(noResponse);
    expect(performance.now() - begin).to.be.at.least(390);
    const refused = rejection(client.ask('refused'));
    await until('it came', () => ids.length === 2);
    const fault = new Fault(ErrorCode.READ_FAILED, 'No such item.');
    expect(client.requests.fail(ids[1]!, fault)).to.equal(true);
    expect(await refused).to.equal(fault);
    const all = ['x', 'y'].map((text) => rejection(client.ask(text)));
    client.requests.failAll(fault);
    expect(await Promise.all(all)).to.deep.equal([fault, fault]);
  });

  it('wait for a link that is down as long as their patience lasts', async () => {
    await using device = await new Device().listen();
    await using client = await clientOf(device.port, { waitForLink: 3000 });
    await client.ask('a');
    const down = new Promise<void>((resolve) => client.link.observe({ down: () => resolve() }));
    device.cut();
    await down;
    expect(client.link.up).to.equal(false);
    expect(await client.ask('b')).to.equal('B');
  });
});

describe('requests in order', () => {
  it('are one at a time', async () => {
    await using device = await new Device().listen();
    await using client = await clientOf(device.port, { ids: undefined, window: 9 } as never);
    const answers = await Promise.all(['a', 'b', 'c'].map((text) => client.ask(text)));
    expect(answers).to.deep.equal(['A', 'B', 'C']);
  });

  it('give up the connection after a timeout, so that a late answer is never taken for another', async () => {
    await using device = await new Device().listen();
    const { script } = device;
    device.script = ({ id, send }) => void setTimeout(() => send(frame(id, 'LATE')), 150);
    await using client = await clientOf(device.port, { ids: undefined, timeout: 60 } as never);
    expect(await rejection(client.ask('a'))).to.equal(noResponse);
    device.script = script;
    await until('it is back', () => client.link.up && device.connections === 2);
    expect(await client.ask('b')).to.equal('B');
  });

  it('hold their place when they are given up, so that the next answer is not taken for theirs', async () => {
    await using device = await new Device().listen();
    const { script } = device;
    const kept: (() => void)[] = [];
    device.script = (asked) => kept.push(() => script(asked));
    await using client = await clientOf(device.port, { ids: undefined } as never);
    const abort = new AbortController();
    const first = rejection(client.ask('a', { signal: abort.signal }));
    await until('it came', () => kept.length === 1);
    abort.abort(new Error('enough'));
    await first;
    const second = client.ask('b');
    device.script = script;
    kept[0]?.();
    expect(await second).to.equal('B');
    expect(device.connections).to.equal(1);
  });
});

describe('requests over UDP', () => {
  it('are repeated when a datagram is lost, and hear nobody but their device', async () => {
    const device = createSocket('udp4');
    const stranger = createSocket('udp4');
    await new Promise<void>((resolve) => device.bind(0, '127.0.0.1', resolve));
    let came = 0;
    device.on('message', (data, from) => {
      came++;
      if (came % 3 === 1) return;
      stranger.send(frame(data[1]!, 'FOREIGN'), from.port, from.address, () => {
        device.send(frame(data[1]!, 'OWN'), from.port, from.address);
      });
    });
    await using client = new Client(udp({ host: '127.0.0.1', port: device.address().port }), {
      timeout: 60,
      retries: 2,
    });
    await client.link.open();
    for (let i = 0; i < 5; i++) expect(await client.ask('x')).to.equal('OWN');
    expect(came).to.be.above(5);
    await Promise.all(
      [device, stranger].map((socket) => new Promise<void>((resolve) => socket.close(resolve))),
    );
  });

  it('tell that nobody listens', async () => {
    const probe = createSocket('udp4');
    await new Promise<void>((resolve) => probe.bind(0, '127.0.0.1', resolve));
    const { port } = probe.address();
    await new Promise<void>((resolve) => probe.close(resolve));
    await using client = new Client(udp({ host: '127.0.0.1', port }));
    await client.link.open();
    expect(((await rejection(client.ask('x'))) as Fault).code).to.equal(ErrorCode.DISCONNECTED);
    expect(client.record.links.at(-1)?.report.reason).to.match(/refuses/);
  });
});
