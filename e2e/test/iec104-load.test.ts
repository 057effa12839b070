import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import { connected } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { until } from '../kit/until.ts';
import { hasScapy, Iec104Centre } from '../world/iec104-centre.ts';
import { useGateway } from '../world/plant.ts';
import { TcpProxy } from '../world/tcp-proxy.ts';
import { WordPlc } from '../world/word-plc.ts';

/** For how long events arise; the connection is cut for a third of it. By hand: `IEC104_SECONDS=60 npm test -- e2e/test/iec104-load.test.ts`. */
const seconds = Number(process.env['IEC104_SECONDS'] ?? 6);
const points = 5000;
const eventsASecond = 2000;

/** Objects of one unit of data of the device: short floats with time. */
const inUnit = 16;
const unitsASecond = eventsASecond / inUnit;

/** CP56Time2a of a time in UTC. */
function timeOctets(time: number): number[] {
  const at = new Date(time);
  const ms = at.getUTCSeconds() * 1000 + at.getUTCMilliseconds();
  const day = [at.getUTCDate(), at.getUTCMonth() + 1, at.getUTCFullYear() % 100];
  return [ms & 255, ms >> 8, at.getUTCMinutes(), at.getUTCHours(), ...day];
}

const floatOctets = (value: number): number[] => {
  const octets = Buffer.alloc(4);
  octets.writeFloatLE(value);
  return [...octets];
};

/** The events of the device: the object of each, and its value, which is the number of the event. */
const objectOf = (event: number): number => (event % points) + 1;

function unitOf(first: number, time: number): number[] {
  const objects = Array.from({ length: inUnit }, (_, index) => first + index).flatMap((event) => {
    const object = objectOf(event);
    return [object & 255, object >> 8, 0, ...floatOctets(event + 1), 0, ...timeOctets(time)];
  });
  return [36, inUnit, 3, 0, 1, 0, ...objects];
}

describe(`${points} points, ${eventsASecond} events a second for ${seconds} seconds through a cut of the connection${hasScapy ? '' : ' (skipped: python3-scapy is not installed)'}`, function () {
  this.timeout(180_000 + seconds * 4000);
  const { client } = useGateway();
  let device: WordPlc;
  let proxy: TcpProxy;
  let port: number;

  before(async function () {
    if (!hasScapy) this.skip();
    device = await WordPlc.start('iec104');
    port = await freePort();
    // The device has other objects of its own under some of these addresses, which it would report when it is interrogated.
    const params = { host: '127.0.0.1', port: device.port, interval: 0 };
    await client.ok('POST', '/node', { name: 'rtu', plugin: 'IEC60870-5-104', params });
    await client.ok('POST', '/group', { name: 'events', node: 'rtu', interval: 60_000 });
    const names = Array.from({ length: points }, (_, index) => `p${index + 1}`);
    const tags = names.map((name) => ({
      name,
      address: name.slice(1),
      type: DataType.FLOAT,
      attribute: Attribute.READ | Attribute.SUBSCRIBE,
    }));
    for (let at = 0; at < points; at += 1000)
      await client.ok('POST', '/tags', { node: 'rtu', group: 'events', tags: tags.slice(at, at + 1000) });
    await client.ok('POST', '/node', {
      name: 'station',
      plugin: 'IEC60870-5-104 Server',
      params: { host: '127.0.0.1', port, k: 12, w: 8 },
    });
    const table = ['tag,type,object', ...names.map((name) => `${name},36,${name.slice(1)}`)].join('\n');
    await client.ok('POST', '/subscribe', {
      app: 'station',
      driver: 'rtu',
      group: 'events',
      params: { points: table },
    });
    await connected(client, 'rtu');
    await connected(client, 'station');
    proxy = await TcpProxy.open(port);
  });

  after(async () => {
    await proxy?.shut();
    await device?.stop();
  });

  it('loses none, repeats none that was acknowledged, keeps their order and their time', async function () {
    await using centre = await Iec104Centre.start({ decodesAll: false });
    await centre.connect(proxy.port);
    // The first value of an object is no event.
    const started = Date.now();
    for (let first = 0; first < points; first += inUnit) device.send({ unit: unitOf(first, started) });
    await until('every object has a value', async () => {
      const from = centre.units.length;
      const ask = { information_object_address: 0, qoi: 20 };
      await centre.ask('C_IC_NA_1', 6, ask, ({ cause }) => cause === 10);
      const states = centre.units.slice(from).flatMap(({ cause, objects }) => (cause === 20 ? objects : []));
      return states.length === points && states.every(([, value]) => Number(value) > 0);
    });
    const origin = Math.ceil(points / inUnit) * inUnit;
    const total = seconds * unitsASecond * inUnit;
    // Those before are of objects whose first value came after the interrogation had begun.
    const events = (): typeof centre.events => centre.events.filter(([, value]) => Number(value) > origin);
    const begin = performance.now();
    let cut: 'not yet' | 'now' | 'over' = 'not yet';
    let arrivedBeforeCut = 0;
    for (let unit = 0; unit < total / inUnit; unit++) {
      device.send({ unit: unitOf(origin + unit * inUnit, started + unit) });
      const due = ((unit + 1) * 1000) / unitsASecond - (performance.now() - begin);
      const part = (unit * inUnit) / total;
      if (cut === 'not yet' && part > 1 / 3) {
        await proxy.shut();
        cut = 'now';
        arrivedBeforeCut = events().length;
      } else if (cut === 'now' && part > 2 / 3) {
        await proxy.reopen(port);
        await until('the break is known', () => !centre.isConnected);
        await centre.connect(proxy.port);
        cut = 'over';
      }
      if (due > 0) await new Promise((resolve) => setTimeout(resolve, due));
    }
    const took = performance.now() - begin;
    await until(
      'the last event is there',
      () => centre.units.some(({ objects }) => objects.some(([, value]) => value === origin + total)),
      {
        within: 60_000,
        every: 500,
      },
    );
    const all = events();
    // What was sent and not acknowledged when the connection broke comes again, as a whole and in order.
    const values = all.map(([, value]) => Number(value));
    const drop = values.findIndex((value, index) => index > 0 && value <= values[index - 1]!);
    const repeated = drop < 0 ? 0 : values[drop - 1]! - values[drop]! + 1;
    const once = drop < 0 ? all : [...all.slice(0, drop - repeated), ...all.slice(drop)];
    this.test!.title += `: ${total} in ${Math.round(took)} ms, ${repeated} of them sent again`;
    expect(once.length, 'events').to.equal(total);
    for (const [index, [object, value, time, quality]] of once.entries()) {
      const event = origin + index;
      const at = Buffer.from(timeOctets(started + Math.floor(index / inUnit))).toString('hex');
      // The day of the week is in the same octet as that of the month.
      const own = Buffer.from(time ?? '', 'hex');
      own[4] = own[4]! & 0x1f;
      if (object !== objectOf(event) || value !== event + 1 || own.toString('hex') !== at || quality !== 0)
        expect.fail(`Event ${event} came as ${object} ${value} ${time} ${quality}.`);
    }
    expect(arrivedBeforeCut, 'before the cut').to.be.greaterThan(0);
    expect(repeated, 'at most a window of frames').to.be.lessThan(12 * inUnit + 1);
    expect(centre.faults).to.deep.equal([]);
  });
});
