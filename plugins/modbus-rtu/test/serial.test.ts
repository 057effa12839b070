import { expect } from 'chai';
import { isFault, LinkState } from '@tagway/sdk';
import { examine, hasLibmodbus, hasPymodbus, startLibmodbus, startPymodbus } from '@tagway/modbus/test';
import { SerialCable, freePort, itWithSerialPort, pointsOf, fakeExclusive, until } from '@tagway/testkit';
import { Device } from './device.ts';
import { openFixture, serialSettings, tcpSettings } from './fixture.ts';
import { bridge } from './bridge.ts';

function withLibmodbus(title: string, work: () => Promise<void>): void {
  if (hasLibmodbus) itWithSerialPort(title, work);
  else it.skip(`${title} (skipped: libmodbus-dev or gcc is not installed)`);
}

function withPymodbus(title: string, needsPort: boolean, work: () => Promise<void>): void {
  if (!hasPymodbus)
    it.skip(`${title} (skipped: python3-pymodbus or python3-serial-asyncio is not installed)`);
  else if (needsPort) itWithSerialPort(title, work);
  else it(title, work);
}

describe('devices that others have written', function () {
  this.timeout(20_000);

  withLibmodbus('libmodbus on a serial port', async () => {
    await using cable = await SerialCable.open('port');
    const peer = await startLibmodbus(cable.far);
    try {
      await using fixture = await openFixture(serialSettings(cable.near));
      await examine(fixture.driver);
      expect(await fixture.written(pointsOf('0!400701'), [4711])).to.deep.equal([undefined]);
      expect(await fixture.read(pointsOf('1!400701')), 'it obeys a broadcast').to.deep.equal([4711]);
    } finally {
      await peer.stop();
    }
  });

  withPymodbus('pymodbus on a serial port', true, async () => {
    const peer = await startPymodbus('rtutcp');
    try {
      await using cable = await SerialCable.open(peer.port);
      await using fixture = await openFixture(serialSettings(cable.near));
      await examine(fixture.driver);
    } finally {
      await peer.stop();
    }
  });

  withPymodbus('pymodbus over TCP, called', false, async () => {
    const peer = await startPymodbus('rtutcp');
    try {
      await using fixture = await openFixture(tcpSettings(peer.port));
      await examine(fixture.driver);
    } finally {
      await peer.stop();
    }
  });

  withPymodbus('pymodbus over TCP, calling', true, async () => {
    const peer = await startPymodbus('rtutcp');
    const port = await freePort();
    try {
      await using fixture = await openFixture(tcpSettings(port, { connection_mode: 1 }));
      await using _caller = bridge(`TCP:127.0.0.1:${port},nodelay`, `TCP:127.0.0.1:${peer.port},nodelay`);
      await until('it has called', () => fixture.link === LinkState.CONNECTED);
      await examine(fixture.driver);
    } finally {
      await peer.stop();
    }
  });

  withLibmodbus('libmodbus behind a device server that calls', async () => {
    await using cable = await SerialCable.open('port');
    const peer = await startLibmodbus(cable.far);
    const port = await freePort();
    try {
      await using fixture = await openFixture(tcpSettings(port, { connection_mode: 1 }));
      await using _caller = bridge(`TCP:127.0.0.1:${port},nodelay`, `${cable.near},rawer`);
      await until('it has called', () => fixture.link === LinkState.CONNECTED);
      await examine(fixture.driver);
    } finally {
      await peer.stop();
    }
  });
});

describe('a serial port', function () {
  this.timeout(20_000);
  const points = pointsOf('1!400001', '1!400101');

  /** A device at the end of a cable. */
  async function wired(): Promise<{ device: Device; cable: SerialCable } & AsyncDisposable> {
    const device = new Device();
    const cable = await SerialCable.open(await device.listen());
    return {
      device,
      cable,
      async [Symbol.asyncDispose]() {
        await cable[Symbol.asyncDispose]();
        await device.close();
      },
    };
  }

  itWithSerialPort('is opened again after the adapter was pulled out and plugged in', async () => {
    await using at = await wired();
    await using fixture = await openFixture(serialSettings(at.cable.near));
    for (let round = 0; round < 3; round++) {
      await until('values come', async () => (await fixture.read(points))[1] === 100);
      expect(fixture.link).to.equal(LinkState.CONNECTED);
      await at.cable.unplug();
      await until('the loss is noticed', () => fixture.link === LinkState.DISCONNECTED);
      expect(await fixture.read(points)).to.deep.equal(['fault 3002', 'fault 3002']);
      await at.cable.plug();
    }
    await until('values come', async () => (await fixture.read(points))[1] === 100);
  });

  itWithSerialPort('may be missing at the start', async () => {
    await using at = await wired();
    await at.cable.unplug();
    await using fixture = await openFixture(serialSettings(at.cable.near));
    expect(fixture.states).to.deep.equal([LinkState.CONNECTING, LinkState.DISCONNECTED]);
    expect(fixture.record.logs.join()).to.contain(`${at.cable.near}: No such file or directory`);
    await at.cable.plug();
    await until('values come', async () => (await fixture.read(points))[1] === 100);
  });

  itWithSerialPort('that goes while an answer is awaited fails the read at once', async () => {
    await using at = await wired();
    await using fixture = await openFixture(serialSettings(at.cable.near, { timeout: 20_000 }));
    at.device.script = () => undefined;
    const reading = fixture.read(points);
    await until('it was asked', () => at.device.requests.length === 1);
    await at.cable.unplug();
    expect(await reading).to.deep.equal(['fault 3002', 'fault 3002']);
  });

  itWithSerialPort('serves several nodes in turn, and recovers for all of them', async () => {
    await using at = await wired();
    const waiting = at.device.answerAfter(3);
    const exclusive = fakeExclusive();
    await using one = await openFixture(serialSettings(at.cable.near), exclusive, 'one');
    await using other = await openFixture(serialSettings(at.cable.near), exclusive, 'other');
    const first = pointsOf(...Array.from({ length: 20 }, (_, index) => `1!4${index * 10 + 1}`));
    const second = pointsOf(...Array.from({ length: 20 }, (_, index) => `2!4${index * 10 + 1001}`));
    const [left, right] = await Promise.all([one.read(first), other.read(second)]);
    expect(left).to.deep.equal(first.map((_, index) => index * 10));
    expect(right).to.deep.equal(second.map((_, index) => 1000 + index * 10));
    expect(waiting.most, 'requests on the wire').to.equal(1);
    const units = at.device.requests.map(({ unit }) => unit).join('');
    expect(units, 'they take turns').to.match(/(12){10}/);

    await at.cable.unplug();
    await at.cable.plug();
    for (const fixture of [one, other])
      await until('values come', async () => (await fixture.read(points))[1] === 100);
  });

  itWithSerialPort('keeps serving one node when another is stopped or finds its unit dead', async () => {
    await using at = await wired();
    at.device.script = ({ unit }, usual) => (unit === 2 ? undefined : usual());
    const exclusive = fakeExclusive();
    await using living = await openFixture(
      serialSettings(at.cable.near, { timeout: 300 }),
      exclusive,
      'living',
    );
    const dead = await openFixture(serialSettings(at.cable.near, { timeout: 300 }), exclusive, 'dead');
    expect(await dead.read(pointsOf('2!400001'))).to.deep.equal(['fault 3015']);
    expect(dead.link).to.equal(LinkState.DISCONNECTED);
    expect(await living.read(points)).to.deep.equal([0, 100]);
    await dead[Symbol.asyncDispose]();
    expect(await living.read(points)).to.deep.equal([0, 100]);
    expect(living.states, 'the port stayed open').to.deep.equal([LinkState.CONNECTING, LinkState.CONNECTED]);
  });

  itWithSerialPort('has one speed: a node that wants another learns whose port it is', async () => {
    await using at = await wired();
    await using _first = await openFixture(serialSettings(at.cable.near), fakeExclusive(), 'first');
    const refusal: unknown = await openFixture(
      serialSettings(at.cable.near, { baud: 4, parity: 2 }),
      fakeExclusive(),
      'late',
    ).catch((error: unknown) => error);
    if (!isFault(refusal)) throw new Error('It was not refused.');
    expect(refusal).to.include({ code: 2004, retry: false });
    expect(refusal.message)
      .to.contain('"first" uses the port')
      .and.contain('115200 8N1')
      .and.contain('9600 8E1');
  });

  itWithSerialPort('is given back when its last node stops', async () => {
    await using at = await wired();
    await using _one = await openFixture(serialSettings(at.cable.near));
    await _one[Symbol.asyncDispose]();
    await using fixture = await openFixture(serialSettings(at.cable.near, { baud: 5 }));
    expect(await fixture.read(points)).to.deep.equal([0, 100]);
  });

  itWithSerialPort('stays silent between two frames for three and a half characters', async () => {
    await using at = await wired();
    let answeredAt = 0;
    at.device.script = (_request, usual) => {
      answeredAt = performance.now();
      return usual();
    };
    await using fixture = await openFixture(serialSettings(at.cable.near, { baud: 12 }));
    const asked = fixture.read(points);
    await until('the first was answered', () => at.device.requests.length === 1);
    const first = answeredAt;
    expect(await asked).to.deep.equal([0, 100]);
    // Ten bits a character at 150 baud.
    expect(at.device.times[1]! - first).to.be.at.least(3.5 * (10_000 / 150));
  });

  itWithSerialPort('opens at every speed, parity and size of the settings', async () => {
    await using at = await wired();
    for (let baud = 0; baud < 13; baud++) {
      await using fixture = await openFixture(
        serialSettings(at.cable.near, { baud, parity: baud % 3, data: baud % 4, stop: baud % 2 }),
      );
      expect(fixture.link, `baud code ${baud}`).to.equal(LinkState.CONNECTED);
    }
  });

  it('that is no serial port is named in the log', async () => {
    await using fixture = await openFixture(serialSettings(import.meta.filename));
    expect(fixture.link).to.equal(LinkState.DISCONNECTED);
    expect(fixture.record.logs.join()).to.contain(import.meta.filename);
  });
});
