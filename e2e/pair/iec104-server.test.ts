import { Attribute } from '@tagway/schemas';
import { connect } from 'node:net';
import { expect } from 'chai';
import { connected, registerTags } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { hasScapy, Iec104Centre } from '../world/iec104-centre.ts';
import type { PairGateway } from './pair-gateway.ts';
import { describePair } from './suite.ts';

const port = 2404;

describePair('a controlled station at two gateways', 41, false, ({ pair }) => {
  before(async function () {
    if (!hasScapy) return this.skip();
    const client = await pair().client();
    // The second word of an answer of the device counts its requests.
    const tags = registerTags(3, Attribute.READ | Attribute.WRITE);
    await client.ok('POST', '/group', { name: 'breaker', node: 'plant', interval: 100 });
    await client.ok('POST', '/tags', { node: 'plant', group: 'breaker', tags: tags.slice(1) });
    await client.ok('POST', '/node', { name: 'station', plugin: 'IEC60870-5-104 Server' });
    const params = { host: '0.0.0.0', port, commands: true, long_pulse: 5000 };
    await client.ok('POST', '/node/setting', { node: 'station', params });
    await client.ok('POST', '/subscribe', {
      app: 'station',
      driver: 'plant',
      group: 'breaker',
      params: { points: 'tag,type,object,pulse\ntag2,35,100,\ntag2,45,200,long' },
    });
    await connected(client, 'station');
  });

  const addressOf = ({ side }: PairGateway): string => pair().network.address(side);

  /** Whether something takes connections at the port of the station of a gateway. */
  const listens = (gateway: PairGateway): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect({ host: addressOf(gateway), port });
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('close', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });

  /** The values of the events that have come from this unit on. */
  const valuesFrom = (centre: Iec104Centre, from: number): number[] =>
    centre.units
      .slice(from)
      .filter(({ cause }) => cause === 3)
      .flatMap(({ objects }) => objects.map(([, value]) => Number(value)));

  it('is served by the active one alone, and the next active one ends a pulse that was under way', async () => {
    const before = await pair().settled();
    expect(await listens(before.active), 'the active one').to.equal(true);
    expect(await listens(before.standby), 'the standby').to.equal(false);
    const first = await before.active.client();
    expect((await first.ok<{ listeners: object[] }>('GET', '/node/listeners')).listeners).to.deep.equal([
      {
        node: 'station',
        host: '0.0.0.0',
        port,
        protocol: 'IEC 60870-5-104',
        remote: true,
        encrypted: false,
        restricted: false,
        writes: true,
      },
    ]);
    await using centre = await Iec104Centre.start({ from: '0.0.0.0' });
    await centre.connect(port, 15_000, addressOf(before.active));
    const command = { information_object_address: 200, scs: 1 };
    const answer = await centre.ask('C_SC_NA_1', 6, command, ({ type, cause }) => type === 45 && cause === 7);
    expect(answer.negative).to.equal(false);
    await pair().switch();
    await until('the connection has ended', () => !centre.isConnected, { within: 30_000 });
    const after = await pair().settled();
    expect(after.active.side).to.equal(before.standby.side);
    await centre.connect(port, 30_000, addressOf(after.active));
    expect(await listens(after.standby), 'the gateway that was active').to.equal(false);
    const next = await after.active.client();
    const from = pair().network.address('outside');
    await until(
      'the pulse is ended for the control centre',
      async () => {
        const { entries } = await next.ok<{
          entries: readonly { text: string; from?: string; error: number }[];
        }>('GET', '/audit');
        return entries.some(
          ({ error, from: who, text }) =>
            text === 'wrote to the node "plant": "tag2" = 0' && who === from && error === 0,
        );
      },
      { within: 60_000 },
    );
    expect(centre.faults).to.deep.equal([]);
  });

  it('has a queue of events at each, and sends what is left, in order, once that gateway is active again', async () => {
    const before = await pair().settled();
    await using centre = await Iec104Centre.start({ from: '0.0.0.0' });
    await centre.connect(port, 30_000, addressOf(before.active));
    // The device counts, so that every reading is an event.
    await until('events come', () => centre.events.length >= 5);
    await centre.cut();
    const seen = Math.max(...valuesFrom(centre, 0));
    const metrics = async (): Promise<number> => {
      const { text } = await (await before.active.client()).call('GET', '/metrics');
      return Number(/cached_msgs\{[^}]*node="station"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0);
    };
    await until('some are kept', async () => (await metrics()) >= 5);
    await pair().switch();
    const meanwhile = await pair().settled();
    await centre.connect(port, 30_000, addressOf(meanwhile.active));
    const at = centre.units.length;
    await until('events come from the other one', () => valuesFrom(centre, at).length >= 5);
    const [there = 0] = valuesFrom(centre, at);
    await pair().switch();
    const after = await pair().settled();
    expect(after.active.side).to.equal(before.active.side);
    await until('the connection has ended', () => !centre.isConnected, { within: 30_000 });
    const again = centre.units.length;
    await centre.connect(port, 30_000, addressOf(after.active));
    await until('those of before are there', () => valuesFrom(centre, again).length >= 5);
    const kept = valuesFrom(centre, again).filter((value) => value < there);
    expect(kept.length, 'events from before').to.be.greaterThan(4);
    expect(Math.max(...kept), 'later than what was acknowledged').to.be.greaterThan(seen);
    expect(kept, 'in order').to.deep.equal([...kept].sort((one, other) => one - other));
    expect(centre.faults).to.deep.equal([]);
  });
});
