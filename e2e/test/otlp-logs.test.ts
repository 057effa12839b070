import { expect } from 'chai';
import { addModbus, registerTags } from '../kit/configure.ts';
import { Gateway } from '../kit/gateway.ts';
import { until } from '../kit/until.ts';
import { attributesOf, type LogRecord, OtlpReceiver } from '../world/otlp-receiver.ts';

describe('the log for a collector of OpenTelemetry', function () {
  this.timeout(120_000);
  let receiver: OtlpReceiver;
  let gateway: Gateway;

  before(async () => {
    receiver = await OtlpReceiver.start();
    gateway = await Gateway.start({
      args: [
        ...['--otlp-endpoint', `http://127.0.0.1:${receiver.port}`, '--otlp-interval', '1', '--otlp-logs'],
        ...['--name', 'hall-3', '--log-level', 'info'],
      ],
    });
  });
  after(async () => {
    await gateway?.dispose();
    await receiver?.close();
  });

  const found = (text: string): LogRecord | undefined =>
    receiver.records().find(({ body }) => body.stringValue?.includes(text));
  /** Texts of the records that have this one in them. */
  const texts = (text: string): string[] =>
    receiver
      .records()
      .flatMap(({ body: { stringValue = '' } }) => (stringValue.includes(text) ? [stringValue] : []));

  it('has the lines of the gateway from its start on, with their levels and times', async () => {
    const listens = await until('the first lines', () => found('The gateway listens on'));
    expect(listens.severityText).to.equal('NOTICE');
    expect(listens.severityNumber).to.equal('SEVERITY_NUMBER_INFO2');
    expect(attributesOf(listens.attributes)).to.deep.equal({});
    const stamp = new Date(Number(BigInt(listens.timeUnixNano) / 1_000_000n)).toISOString();
    const line = (await gateway.log()).split('\n').find((one) => one.includes('The gateway listens on'));
    expect(line).to.include(stamp.replace('T', ' ').slice(0, -1));
    await until('the resource', () => receiver.resource()['service.instance.id'] === 'hall-3');
  });

  it('has those of plugins, with their node, their plugin and fields', async () => {
    const client = await gateway.client();
    await addModbus(client, 'dark', { port: 9, tags: registerTags(2) });
    const records = await until('lines of the node', () => {
      const own = receiver
        .records()
        .filter(({ attributes }) => attributesOf(attributes)['tagway.node.name'] === 'dark');
      return own.length > 0 && own;
    });
    for (const { attributes } of records)
      expect(attributesOf(attributes)['tagway.plugin.name']).to.equal('Modbus TCP');
    // Every line of the log came once, in its order.
    const lines = (await gateway.log()).split('\n').filter((line) => / dark: /.test(line));
    await until('all of them', () => {
      const sent = receiver
        .records()
        .filter(({ attributes }) => attributesOf(attributes)['tagway.node.name'] === 'dark');
      return sent.length >= lines.length;
    });
    expect(lines[0]).to.include(`dark: ${records[0]!.body.stringValue}`);
  });

  it('keeps what is logged while the collector is away, and does not send what is logged about that', async () => {
    await receiver.close();
    await until('the line', async () => (await gateway.log()).includes('does not take'));
    const client = await gateway.client();
    await addModbus(client, 'meanwhile', { port: 9, tags: registerTags(1) });
    await until('its lines', async () => (await gateway.log()).includes(' meanwhile: '));
    receiver = await OtlpReceiver.start({ port: receiver.port });
    await until(
      'what waited',
      () =>
        receiver
          .records()
          .some(({ attributes }) => attributesOf(attributes)['tagway.node.name'] === 'meanwhile'),
      { within: 60_000 },
    );
    await until('the return', async () => (await gateway.log()).includes('takes'));
    await until('metrics', () => receiver.taken.some(({ signal }) => signal === 'metrics'), {
      within: 60_000,
    });
    expect(texts('collector of OpenTelemetry')).to.deep.equal([]);
    // One line for both signals, and one for the return of both.
    const log = (await gateway.log())
      .split('\n')
      .filter((line) => line.includes('collector of OpenTelemetry'));
    expect(log).to.have.length(2);
  });

  it('has the last line too, and goes on after a restart', async () => {
    await gateway.stop();
    expect(texts('The gateway has ended.')).to.have.length(1);
    await gateway.start();
    await until('the lines of the next start', () => texts('The gateway listens on').length > 0);
    const page = await (await fetch(new URL('/api/v2/metrics', gateway.url))).text();
    expect(page).to.match(/^tagway_otlp_sent_total\{signal="logs"\} \d+$/m);
    expect(page).to.match(/^tagway_otlp_dropped_total\{signal="logs"\} 0$/m);
  });

  it('stays where it is without the option', async () => {
    await gateway.restart(['--otlp-endpoint', `http://127.0.0.1:${receiver.port}`, '--otlp-interval', '1']);
    const from = receiver.taken.length;
    await until('metrics', () => receiver.taken.length > from + 2);
    expect(receiver.taken.slice(from).map(({ signal }) => signal)).to.not.include('logs');
  });
});
