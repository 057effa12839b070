import { expect } from 'chai';
import { addModbus, addMqtt, addSparkplug, registerTags } from '../kit/configure.ts';
import { Gateway } from '../kit/gateway.ts';
import { until } from '../kit/until.ts';
import { brokerKind, startBroker, type Broker } from '../world/brokers.ts';
import { Device } from '../world/devices.ts';
import { attributesOf, OtlpReceiver, type Span } from '../world/otlp-receiver.ts';

/** Spans of one trace that reached the broker, by their names. */
type Way = Readonly<Record<'poll' | 'read' | 'gateway' | 'publish' | 'acknowledge', Span>>;

describe(`traces of readings for a collector of OpenTelemetry, with ${brokerKind}`, function () {
  this.timeout(120_000);
  let receiver: OtlpReceiver;
  let device: Device;
  let broker: Broker;
  let gateway: Gateway;

  before(async () => {
    receiver = await OtlpReceiver.start();
    device = await Device.start();
    broker = await startBroker();
    gateway = await Gateway.start({
      args: [
        ...['--otlp-endpoint', `http://127.0.0.1:${receiver.port}`, '--otlp-interval', '60'],
        ...['--otlp-traces', '1', '--name', 'hall-3'],
      ],
    });
    const client = await gateway.client();
    await addModbus(client, 'plant', { port: device.port, tags: registerTags(3) });
    await addMqtt(client, 'north', broker.port, { qos: 1 });
    await addSparkplug(client, 'spark', broker.port);
    await client.ok('POST', '/subscribe', {
      app: 'north',
      driver: 'plant',
      group: 'group',
      params: { topic: 'hall/a' },
    });
  });
  after(async () => {
    await gateway?.dispose();
    await broker?.stop();
    await device?.stop();
    await receiver?.close();
  });

  /** The way of a reading to the server of an app. */
  const wayTo = (app: string): Way | undefined => {
    for (const spans of Map.groupBy(receiver.spans(), ({ traceId }) => traceId).values()) {
      const acknowledged = spans.find(
        ({ name, attributes }) =>
          name === 'acknowledge' && attributesOf(attributes)['tagway.node.name'] === app,
      );
      if (acknowledged === undefined) continue;
      const publish = spans.find(({ spanId }) => spanId === acknowledged.parentSpanId);
      const others = Object.fromEntries(spans.map((span) => [span.name, span]));
      if (publish !== undefined && others['poll'] && others['gateway'])
        return { ...others, publish, acknowledge: acknowledged } as unknown as Way;
    }
    return undefined;
  };

  const check = ({ poll, read, gateway: host, publish, acknowledge }: Way): void => {
    expect(poll.parentSpanId ?? '').to.equal('');
    expect(read.parentSpanId).to.equal(poll.spanId);
    expect(host.parentSpanId).to.equal(poll.spanId);
    expect(publish.parentSpanId).to.equal(host.spanId);
    expect(acknowledge.parentSpanId).to.equal(publish.spanId);
    const starts = [poll, read, host, publish, acknowledge].map(({ startTimeUnixNano }) =>
      BigInt(startTimeUnixNano),
    );
    // The host may be put aside between the arrival of a sample at an app and its own last look at the clock, never between these.
    expect(starts[0]! <= starts[1]!, 'a driver is called in its poll').to.equal(true);
    expect(BigInt(read.endTimeUnixNano) === BigInt(poll.endTimeUnixNano)).to.equal(true);
    expect(starts[3]! <= starts[4]!, 'what is published is acknowledged').to.equal(true);
    for (const { startTimeUnixNano, endTimeUnixNano, name } of [poll, read, host, publish, acknowledge])
      expect(BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano), name).to.equal(true);
    // A millisecond for what the clocks of two looks differ by.
    expect(Number(starts[2]! - BigInt(poll.endTimeUnixNano))).to.be.greaterThan(-1e6);
    expect(Number(starts[3]! - starts[2]!)).to.be.greaterThan(-1e6);
    expect(Math.abs(Date.now() - Number(starts[0]! / 1_000_000n))).to.be.lessThan(60_000);
    expect(attributesOf(poll.attributes)).to.include({
      'tagway.node.name': 'plant',
      'tagway.plugin.name': 'Modbus TCP',
      'tagway.group.name': 'group',
      'tagway.tag.count': '3',
      'tagway.tag.faults': '0',
    });
    expect(read.kind).to.equal('SPAN_KIND_CLIENT');
    expect(attributesOf(publish.attributes)).to.include({
      'tagway.driver.name': 'plant',
      'tagway.group.name': 'group',
    });
  };

  it('go from the poll to the PUBACK of the broker', async () => {
    const way = await until('a way', () => wayTo('north'), { within: 30_000 });
    check(way);
    expect(attributesOf(way.acknowledge.attributes)).to.include({
      'tagway.node.name': 'north',
      'tagway.plugin.name': 'MQTT',
      'messaging.destination.name': 'hall/a',
      'messaging.batch.message_count': '1',
    });
    expect(receiver.resource()['service.instance.id']).to.equal('hall-3');
  });

  it('go to the broker of Sparkplug B too, beside the other app', async () => {
    const client = await gateway.client();
    await client.ok('POST', '/subscribe', { app: 'spark', driver: 'plant', group: 'group' });
    let value = 0;
    // It publishes what has changed.
    const look = async (): Promise<Way | undefined> => {
      await device.setRegisters(0, [++value]);
      return wayTo('spark');
    };
    const way = await until('a way', look, { within: 30_000, every: 250 });
    check(way);
    expect(attributesOf(way.acknowledge.attributes)['messaging.destination.name']).to.include('DDATA');
  });

  it('end with publishing while the broker is away, and say of a device that is away that the reading failed', async () => {
    await broker.stop();
    const from = receiver.spans().length;
    const news = (): Span[] => receiver.spans().slice(from);
    const isOpen = ({ traceId, name, attributes }: Span): boolean =>
      name === 'publish' &&
      attributesOf(attributes)['tagway.node.name'] === 'north' &&
      !news().some(
        (other) =>
          other.traceId === traceId && other.name === 'acknowledge' && other.status?.message === undefined,
      );
    await until('a way that ends there', () => news().some(isOpen), { within: 60_000 });
    await device.stop();
    const failed = await until(
      'a reading that failed',
      () => news().find(({ name, status }) => name === 'poll' && status?.code === 'STATUS_CODE_ERROR'),
      { within: 60_000 },
    );
    expect(attributesOf(failed.attributes)).to.include({ 'tagway.tag.count': '3', 'tagway.tag.faults': '3' });
    expect(failed.status?.message).to.be.a('string').and.not.equal('');
  });

  it('are gone without the option, and few with a low rate', async () => {
    device = await Device.start({ port: device.port });
    const endpoint = ['--otlp-endpoint', `http://127.0.0.1:${receiver.port}`, '--otlp-interval', '1'];
    await gateway.restart(endpoint);
    const from = receiver.taken.length;
    await until('metrics', () => receiver.taken.length > from + 3);
    expect(receiver.taken.slice(from).map(({ signal }) => signal)).to.not.include('traces');
    await gateway.restart([...endpoint, '--otlp-traces', '1000000']);
    await until(
      'reads',
      () => (receiver.value('tagway.tag.reads', { 'tagway.node.name': 'plant' }) ?? 0) > 30,
    );
    expect(receiver.taken.slice(from).map(({ signal }) => signal)).to.not.include('traces');
  });
});
