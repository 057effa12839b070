import { connect } from 'node:net';
import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import { dialInPlace, freePort, pointsOf, until } from '@tagway/testkit';
import { Device, exception, frame } from './device.ts';
import { openFixture, fixtureAt } from './fixture.ts';

/** Handles that keep the process alive, by kind. */
function handles(): string[] {
  return process.getActiveResourcesInfo().filter((kind) => /TCP|UDP|Timeout/.test(kind));
}

describe('the link of a client', () => {
  const points = pointsOf('1!400001', '2!400001');

  it('starts without the device, fails reads with 3002, and connects when the device comes', async () => {
    const device = new Device();
    const port = await freePort();
    await using fixture = await fixtureAt(device, port);
    expect(fixture.states).to.deep.equal([LinkState.CONNECTING, LinkState.DISCONNECTED]);
    expect(await fixture.read(points)).to.deep.equal(['fault 3002', 'fault 3002']);
    await device.listen(port);
    await until('values come', async () => (await fixture.read(points))[0] === 0);
    expect(fixture.states).to.deep.equal([LinkState.CONNECTING, LinkState.DISCONNECTED, LinkState.CONNECTED]);
  });

  it('fails everything at once when the connection goes, not after the timeout', async () => {
    await using fixture = await openFixture({ timeout: 20_000, max_in_flight: 4 });
    fixture.device.script = () => undefined;
    const reading = fixture.read(points);
    await until('the requests have come', () => fixture.device.requests.length === 2);
    fixture.device.disconnectAll();
    expect(await reading).to.deep.equal(['fault 3002', 'fault 3002']);
    expect(fixture.link).to.equal(LinkState.DISCONNECTED);
    fixture.device.script = (_request, usual) => usual();
    await until('values come', async () => (await fixture.read(points))[0] === 0);
    expect(fixture.link).to.equal(LinkState.CONNECTED);
  });

  it('says 3002 when the connection goes while it pauses between requests and is not back within the timeout', async () => {
    await using fixture = await openFixture({ interval: 20_000 });
    const reading = fixture.read(points);
    await until('the first answer has come', () => fixture.record.rtts.length === 1);
    await fixture.device.close();
    expect(await reading, 'what was read by then stays').to.deep.equal([0, 'fault 3002']);
  });

  it('waits longer and longer for a device that only hangs up', async () => {
    await using fixture = await openFixture();
    const { device } = fixture;
    const moments: number[] = [];
    device.script = () => {
      moments.push(performance.now());
      device.disconnectAll();
      return undefined;
    };
    await until('it has tried four times', async () => {
      await fixture.read(points);
      return moments.length >= 4;
    });
    const pauses = moments.slice(1).map((moment, index) => moment - moments[index]!);
    // 100, 200 and 400 ms, each shortened by at most a quarter. Then the unit is known to be what ends connections, and is asked on its own clock.
    for (const [index, least] of [75, 150, 300].entries()) expect(pauses[index]).to.be.at.least(least - 5);
  });

  it('goes to the backup address when the first cannot be reached, and back', async () => {
    const backup = new Device();
    backup.memory.registers[0] = 77;
    const backupPort = await backup.listen();
    const device = new Device();
    const port = await freePort();
    await using fixture = await fixtureAt(device, port, {
      backup_host: '127.0.0.1',
      backup_port: backupPort,
    });
    await until('the backup answers', async () => (await fixture.read(points))[0] === 77);
    await device.listen(port);
    await backup.close();
    await until('the first answers again', async () => (await fixture.read(points))[0] === 0);
  });

  it('reconnects after a reply that does not fit, and gives 3009', async () => {
    await using fixture = await openFixture();
    const { device } = fixture;
    const bad: ((id: number) => Buffer)[] = [
      (id) => frame(id, 1, Buffer.from([3, 4, 0, 0, 0, 0])), // one register was asked for
      (id) => frame(id, 1, Buffer.from([3, 2, 0])), // a byte is missing
      (id) => frame(id, 1, Buffer.from([4, 2, 0, 0])), // another function
      (id) => frame(id, 1, Buffer.from([0x83])), // an exception without a code
      () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
    ];
    for (const make of bad) {
      const before = device.connections;
      device.script = (request) => {
        request.send(make(request.id));
        return undefined;
      };
      await until('it is 3009', async () => (await fixture.read(pointsOf('1!400001')))[0] === 'fault 3009');
      await until('it has connected again', () => device.connections === before + 1);
    }
    device.script = (_request, usual) => usual();
    await until('values come', async () => (await fixture.read(points))[0] === 0);
  });

  it('drops frames of other units and of unknown transactions, and counts them', async () => {
    await using fixture = await openFixture();
    const { device, record } = fixture;
    device.script = (request, usual) => {
      request.send(frame(request.id, 9, Buffer.from([3, 2, 9, 9])));
      request.send(frame(request.id ^ 0x8000, request.unit, Buffer.from([3, 2, 9, 9])));
      return usual();
    };
    expect(await fixture.read(points)).to.deep.equal([0, 0]);
    expect(record.counts.get('foreign_frames')).to.equal(4);
    expect(device.connections).to.equal(1);
  });

  it('understands answers in pieces and in heaps', async () => {
    await using fixture = await openFixture({ max_in_flight: 16 });
    const numbers = Array.from({ length: 2000 }, (_, index) => index);
    const many = pointsOf(...numbers.map((number) => `1!4${number + 1}`));
    for (const size of [1, 3, 7, 100, 259, 1000]) {
      let waiting = Buffer.alloc(0);
      fixture.device.script = (request, usual) => {
        waiting = Buffer.concat([waiting, frame(request.id, request.unit, usual())]);
        setImmediate(() => {
          const bytes = waiting;
          waiting = Buffer.alloc(0);
          for (let at = 0; at < bytes.length; at += size) request.send(bytes.subarray(at, at + size));
        });
        return undefined;
      };
      expect(await fixture.read(many)).to.deep.equal(numbers);
    }
  });

  it('sends a burst as one packet', async () => {
    await using fixture = await openFixture({ max_in_flight: 16 });
    const sizes: number[] = [];
    for (const socket of fixture.device.sockets) socket.on('data', (data) => sizes.push(data.length));
    await fixture.read(pointsOf(...Array.from({ length: 16 }, (_, index) => `1!4${index * 10 + 1}`)));
    expect(sizes).to.deep.equal([16 * 12]);
  });

  it('counts what it sends and receives', async () => {
    await using fixture = await openFixture();
    await fixture.read(pointsOf('1!400001'));
    expect(fixture.record.counts.get('send_bytes')).to.equal(12);
    expect(fixture.record.counts.get('recv_bytes')).to.equal(11);
  });

  it('leaves no socket and no timer behind, whatever it was doing', async () => {
    // The test runner's own timer comes after the test's first step.
    await new Promise(setImmediate);
    const before = handles();
    await using connected = await openFixture();
    await connected.read(points);
    await connected[Symbol.asyncDispose]();

    await using waiting = await openFixture();
    waiting.device.script = () => undefined;
    const reading = waiting.read(points);
    await until('the request has come', () => waiting.device.requests.length === 1);
    await waiting.driver.stop(AbortSignal.timeout(5000));
    expect(await reading).to.deep.equal(['fault 3002', 'fault 3002']);
    await waiting.device.close();

    await using pausing = await openFixture({ retry_interval: 10_000 });
    pausing.device.script = (request) => exception(request, 6);
    const paused = pausing.read(points);
    await until('the device has said that it is busy', () => pausing.device.requests.length > 0);
    const writing = pausing.write(points.slice(0, 1), [1], pausing.record.controller.signal);
    await until('the write has come', () => pausing.device.requests.length > 1);
    pausing.record.controller.abort(new Error('the run ends'));
    expect(String(await Promise.resolve(writing).catch((error: unknown) => error))).to.equal(
      'Error: the run ends',
    );
    await pausing.driver.stop(AbortSignal.timeout(5000));
    expect(await paused).to.deep.equal(['fault 3002', 'fault 3002']);
    await pausing.device.close();

    const port = await freePort();
    await using absent = await fixtureAt(new Device(), port);
    await absent.driver.stop(AbortSignal.timeout(5000));

    await using listening = await fixtureAt(new Device(), port, { connection_mode: 1 });
    await listening.device.dial(port);
    await listening.driver.stop(AbortSignal.timeout(5000));
    await listening.device.close();

    await using datagrams = await openFixture({ transport_mode: 1 });
    await datagrams.read(points);
    await datagrams[Symbol.asyncDispose]();
    await until('all is released', () => handles().length <= before.length);
  });
});

describe('the link of a server', () => {
  const points = pointsOf('1!400001');

  it('asks the device that has dialled in, and takes a newer connection in place of an old one', async () => {
    const port = await freePort();
    const old = new Device();
    const renewed = new Device();
    renewed.memory.registers[0] = 42;
    await using fixture = await fixtureAt(old, port, { connection_mode: 1 });
    expect(fixture.record.places).to.deep.equal([dialInPlace(port, 'Modbus TCP')]);
    expect(fixture.link).to.equal(LinkState.DISCONNECTED);
    expect(await fixture.read(points)).to.deep.equal(['fault 3002']);
    await old.dial(port);
    await until('it has values', async () => (await fixture.read(points))[0] === 0);
    expect(fixture.link).to.equal(LinkState.CONNECTED);
    // The old connection stays open on the device's side, as behind a mobile network that has forgotten it.
    old.script = () => undefined;
    await renewed.dial(port);
    await until('the newer one is asked', async () => (await fixture.read(points))[0] === 42);
    await until('the older one was closed', () => old.sockets.size === 0);
    await renewed.close();
    await until('it is down', async () => (await fixture.read(points))[0] === 'fault 3002');
    expect(fixture.link).to.equal(LinkState.DISCONNECTED);
  });

  it('says why it cannot listen', async () => {
    const device = new Device();
    const port = await device.listen();
    try {
      const failure = await fixtureAt(device, port, { connection_mode: 1 }).catch((error: unknown) => error);
      expect((failure as Error).message).to.match(
        /^The node cannot listen on 127\.0\.0\.1:\d+: another program or node has it; choose a free one in the setting port \(EADDRINUSE\)\.$/,
      );
    } finally {
      await device.close();
    }
  });

  it('survives visitors that send anything', async () => {
    const port = await freePort();
    await using fixture = await fixtureAt(new Device(), port, { connection_mode: 1 });
    for (const bytes of ['GET / HTTP/1.1\r\n\r\n', '\0\0\0\0\0\u0003\u0001', '']) {
      const visitor = connect(port, '127.0.0.1');
      visitor.on('error', () => undefined);
      visitor.write(bytes);
      await new Promise((resolve) => visitor.once('connect', resolve));
      visitor.destroy();
    }
    await fixture.device.dial(port);
    await until('the device is asked', async () => (await fixture.read(points))[0] === 0);
  });
});
