import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { DataType, LinkState, type Point } from '@tagway/sdk';
import { callOf, dialInPlace, pointsOf, randomOf, until, ValuesRecorder } from '@tagway/testkit';
import type { Settings } from '../src/settings.ts';
import { Device, frame } from './device.ts';
import { openFixture, tcpSettings, type Fixture } from './fixture.ts';

interface Scene extends AsyncDisposable {
  readonly device: Device;
  readonly fixture: Fixture;
}

/** A device that listens, and a driver that is its client. */
async function scene(changes: Partial<Settings> = {}): Promise<Scene> {
  const device = new Device();
  const fixture = await openFixture(tcpSettings(await device.listen(), changes));
  return {
    device,
    fixture,
    async [Symbol.asyncDispose]() {
      await fixture[Symbol.asyncDispose]();
      await device.close();
    },
  };
}

function point(address: string, type: DataType = DataType.INT16): Point {
  return pointsOf([address, type])[0]!;
}

describe('RTU frames over TCP', () => {
  it('are answered by a device that listens', async () => {
    await using at = await scene();
    expect(
      await at.fixture.read(pointsOf('1!400001', '1!400005', ['2!000001', DataType.BIT], '9!300008')),
    ).to.deep.equal([0, 4, 1, 7]);
    expect(await at.fixture.written([point('1!400101')], [-3])).to.deep.equal([undefined]);
    expect(at.device.memory.registers[100]).to.equal(0xfffd);
    expect(at.fixture.link).to.equal(LinkState.CONNECTED);
    expect(at.fixture.record.rtts).to.have.length.above(0);
  });

  it('are answered by a device that dials in', async () => {
    const device = new Device();
    const probe = new Device();
    const port = await probe.listen();
    await probe.close();
    await using fixture = await openFixture(tcpSettings(port, { connection_mode: 1 }));
    expect(fixture.record.places).to.deep.equal([dialInPlace(port, 'Modbus RTU over TCP')]);
    expect(await fixture.read(pointsOf('1!400003'))).to.deep.equal(['fault 3002']);
    await device.dial(port);
    await until('values come', async () => (await fixture.read(pointsOf('1!400003')))[0] === 2);
    device.disconnectAll();
    await until('the loss is noticed', () => fixture.link === LinkState.DISCONNECTED);
    await device.dial(port);
    await until('values come again', async () => (await fixture.read(pointsOf('1!400003')))[0] === 2);
    await device.close();
  });

  it('fail at once when a lost connection is not back in time, also when the timer for that is early by the clock', async () => {
    await using at = await scene({ timeout: 20_000 });
    const points = pointsOf('1!400001');
    expect(await at.fixture.read(points)).to.deep.equal([0]);
    at.fixture.record.shortWaits = true;
    await at.device.close();
    for (const which of ['the one that waited', 'the next one'])
      expect(await at.fixture.read(points), which).to.deep.equal(['fault 3002']);
  });

  it('come in pieces and in heaps', async () => {
    await using at = await scene();
    const many = pointsOf(...Array.from({ length: 300 }, (_, index) => `1!4${index + 1}`));
    for (const size of [1, 7, 100]) {
      at.device.script = ({ unit, send }, usual) => {
        const bytes = frame(unit, usual());
        for (let start = 0; start < bytes.length; start += size) send(bytes.subarray(start, start + size));
        return undefined;
      };
      expect(await at.fixture.read(many)).to.deep.equal(many.map((_, index) => index));
    }
  });

  it('has one request on the wire at a time', async () => {
    await using at = await scene();
    const waiting = at.device.answerAfter(2);
    const apart = pointsOf(
      ...Array.from({ length: 30 }, (_, index) => `${(index % 3) + 1}!4${index * 10 + 1}`),
    );
    expect(await at.fixture.read(apart)).to.deep.equal(apart.map((_, index) => index * 10));
    expect(waiting.most).to.equal(1);
  });
});

describe('a damaged answer', () => {
  it('costs its own tags alone, with 3009, and no connection', async () => {
    await using at = await scene();
    at.device.script = ({ unit, pdu, send }, usual) => {
      if (pdu.readUInt16BE(1) !== 0) return usual();
      const bytes = frame(unit, usual());
      bytes[4]! ^= 0x10;
      send(bytes);
      return undefined;
    };
    expect(await at.fixture.read(pointsOf('1!400001', '1!400101', '2!400201'))).to.deep.equal([
      'fault 3009',
      100,
      200,
    ]);
    expect(at.fixture.record.counts.get('malformed_frames')).to.equal(1);
    expect(at.device.connections).to.equal(1);
    expect(at.fixture.link).to.equal(LinkState.CONNECTED);
  });

  it('is asked for again as often as a silent one', async () => {
    await using at = await scene({ max_retries: 1 });
    let spoilt = 0;
    at.device.script = ({ unit, send }, usual) => {
      const bytes = frame(unit, usual());
      if (spoilt++ === 0) bytes[bytes.length - 1]! ^= 1;
      send(bytes);
      return undefined;
    };
    expect(await at.fixture.read(pointsOf('1!400005'))).to.deep.equal([4]);
    expect(at.device.asked()).to.deep.equal(['1/3 4+1', '1/3 4+1']);
  });

  it('to a write is no confirmation', async () => {
    await using at = await scene();
    at.device.script = ({ unit, send }, usual) => {
      const bytes = frame(unit, usual());
      bytes[bytes.length - 1]! ^= 1;
      send(bytes);
      return undefined;
    };
    expect(await at.fixture.written([point('1!400005')], [1])).to.deep.equal([3009]);
  });

  it('is followed by the next request only when the line has fallen silent', async () => {
    await using at = await scene();
    let lastBabble = 0;
    at.device.script = ({ unit, pdu, send }, usual) => {
      if (pdu.readUInt16BE(1) !== 0) return usual();
      const bytes = frame(unit, usual());
      bytes[bytes.length - 1]! ^= 1;
      send(bytes);
      for (let wait = 10; wait <= 150; wait += 10)
        setTimeout(() => {
          lastBabble = performance.now();
          send(Buffer.from([0x55]));
        }, wait);
      return undefined;
    };
    expect(await at.fixture.read(pointsOf('1!400001', '1!400101'))).to.deep.equal(['fault 3009', 100]);
    expect(at.device.requests).to.have.length(2);
    expect(at.device.times[1]! - lastBabble, 'silence').to.be.at.least(45);
    expect(at.fixture.record.counts.get('late_frames')).to.be.at.least(1);
  });
});

describe('silence', () => {
  it('is 3015, and the late answer is never taken for that to the next request', async () => {
    await using at = await scene({ timeout: 400 });
    at.device.script = ({ unit, pdu, send }, usual) => {
      if (unit !== 1 || pdu.readUInt16BE(1) !== 0) return usual();
      const late = frame(1, Buffer.from([3, 2, 0x12, 0x34]));
      setTimeout(() => send(late), 600);
      return undefined;
    };
    expect(await at.fixture.read(pointsOf('1!400001', '2!400003'))).to.deep.equal(['fault 3015', 2]);
    at.fixture.record.clockOffset += 5000;
    const others = pointsOf('1!400101', '2!400003');
    await until('the unit is read again', async () => {
      const values = await at.fixture.read(others);
      expect(values[0], 'never the late answer').to.be.oneOf(['fault 3015', 100]);
      return values[0] === 100;
    });
    expect(at.fixture.record.counts.get('late_frames')).to.equal(1);
  });

  it('is asked again as often as the settings say', async () => {
    await using at = await scene({ timeout: 300, max_retries: 1 });
    let silent = 1;
    at.device.script = (_request, usual) => (silent-- > 0 ? undefined : usual());
    expect(await at.fixture.read(pointsOf('1!400004'))).to.deep.equal([3]);
    expect(at.device.asked()).to.have.length(2);
  });

  it('of a whole cycle ends the connection, and the node is connected when the device answers again', async () => {
    await using at = await scene({ timeout: 300 });
    const points = pointsOf('1!400001');
    at.device.script = () => undefined;
    expect(await at.fixture.read(points)).to.deep.equal(['fault 3015']);
    expect(at.fixture.link).to.equal(LinkState.DISCONNECTED);
    await until('it has connected again', () => at.device.connections === 2);
    expect(at.fixture.link, 'a connection alone proves nothing').to.equal(LinkState.DISCONNECTED);
    at.device.script = (_request, usual) => usual();
    await until('values are back', async () => (await at.fixture.read(points))[0] === 0);
    expect(at.fixture.link).to.equal(LinkState.CONNECTED);
  });

  it('is all that a broadcast gets: a write to unit 0 succeeds when it was sent, a read fails with 3003', async () => {
    await using at = await scene();
    const everybody = [point('0!400101'), point('0!000101', DataType.BIT)];
    expect(await at.fixture.written(everybody, [77, 1])).to.deep.equal([undefined, undefined]);
    expect(at.device.memory.registers[100]).to.equal(77);
    at.device.asked();
    expect(await at.fixture.read(pointsOf('0!400101', '1!400101'))).to.deep.equal(['fault 3003', 77]);
    expect(at.device.asked()).to.deep.equal(['1/3 100+1']);
  });
});

describe('a wire that carries anything', function () {
  this.timeout(60_000);

  it('throws nothing, and a sane device is read again afterwards', async () => {
    await using at = await scene();
    const { device, fixture } = at;
    const random = randomOf(20_240_503);
    const bytes = (size: number): Buffer => Buffer.from(Array.from({ length: size }, () => random(256)));
    let answers = 0;
    device.script = ({ unit, pdu, send }, usual) => {
      answers++;
      const whole = frame(unit, usual());
      const spoilt = Buffer.from(whole);
      spoilt[random(spoilt.length)] = random(256);
      const kinds: (() => Buffer[])[] = [
        () => [whole],
        () => [spoilt],
        () => [bytes(1 + random(600))],
        () => [whole.subarray(0, random(whole.length))],
        () => [frame(unit, bytes(1 + random(253)))],
        () => [frame(random(256), usual())],
        () => [frame(unit, Buffer.from([pdu[0]! | 0x80, random(256)]))],
        () => [whole, whole],
        () => [bytes(3), whole],
        () => [],
      ];
      for (const piece of kinds[random(kinds.length)]!()) send(piece);
      return undefined;
    };
    fixture.record.shortWaits = true;
    const points = pointsOf(
      ...Array.from({ length: 200 }, (_, index) => `1!4${index + 1}`),
      ['1!400401.20H', DataType.STRING],
      ['1!000001', DataType.BIT],
      '2!400001',
    );
    for (let cycles = 0; answers < 150 && cycles < 1000; cycles++) {
      // Silence would cost a second each time, so a cycle in which nothing else happens is cut short.
      const cut = AbortSignal.timeout(20);
      await Promise.resolve(fixture.driver.read(points, new ValuesRecorder(), callOf('poll', cut))).catch(
        () => undefined,
      );
      if (cycles % 10 === 0) device.push(bytes(random(300)));
    }
    expect(answers).to.be.at.least(150);
    device.script = (_request, usual) => usual();
    await sleep(100);
    await until('every point has its value', async () => {
      fixture.record.clockOffset += 400_000;
      const values = await fixture.read(points);
      return values.slice(0, 200).every((value, index) => value === index) && values[201] === 1;
    });
  });
});
