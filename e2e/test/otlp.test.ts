import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { addModbus, readValues, registerTags } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { Gateway } from '../kit/gateway.ts';
import { until } from '../kit/until.ts';
import { certify, hasOpenssl } from '../world/certificates.ts';
import { Device } from '../world/devices.ts';
import {
  attributesOf,
  metricsOf,
  OtlpReceiver,
  partialAnswer,
  pointOf,
  type Respond,
  takes,
} from '../world/otlp-receiver.ts';

/** Lines of the log that have a text. */
async function lines(gateway: Gateway, text: string): Promise<string[]> {
  return (await gateway.log()).split('\n').filter((line) => line.includes(text));
}

async function page(gateway: Gateway): Promise<string> {
  return (await fetch(new URL('/api/v2/metrics', gateway.url))).text();
}

/** A value of the page of metrics. */
async function counted(gateway: Gateway, metric: string): Promise<number> {
  const line = (await page(gateway)).split('\n').find((one) => one.startsWith(`${metric} `));
  return Number(line?.slice(metric.length + 1) ?? Number.NaN);
}

const plant = { 'tagway.node.name': 'plant' };

describe('metrics for a collector of OpenTelemetry', function () {
  this.timeout(120_000);
  let device: Device;
  let receiver: OtlpReceiver;
  let gateway: Gateway;

  before(async () => {
    device = await Device.start();
    receiver = await OtlpReceiver.start();
    gateway = await Gateway.start({
      args: [
        ...['--otlp-endpoint', `http://127.0.0.1:${receiver.port}`, '--otlp-interval', '1'],
        ...['--name', 'hall-3', '--otlp-resource', 'deployment.environment.name=plant%203,team=water'],
      ],
    });
    const client = await gateway.client();
    await addModbus(client, 'plant', { port: device.port, tags: registerTags(3) });
    await readValues(client, 'plant', 'group');
  });
  after(async () => {
    await gateway?.dispose();
    await receiver?.close();
    await device?.stop();
  });
  afterEach(() => {
    receiver.respond = takes;
  });

  it('are those of the page, under semantic names with units, of this gateway', async () => {
    const { value } = receiver;
    const valueOf = value.bind(receiver);
    await until('the tags of the group', () => valueOf('tagway.group.tag.count', plant) === 3);
    await until('bytes on the wire', () => (valueOf('tagway.node.io', plant) ?? 0) > 0);
    const io = receiver.metric('tagway.node.io');
    expect(io?.unit).to.equal('By');
    expect(io?.sum?.isMonotonic).to.equal(true);
    expect(io?.sum?.aggregationTemporality).to.equal('AGGREGATION_TEMPORALITY_CUMULATIVE');
    for (const direction of ['transmit', 'receive'])
      expect(pointOf(io, { ...plant, 'network.io.direction': direction })?.asInt, direction).to.match(
        /^\d+$/,
      );
    expect(receiver.metric('system.memory.usage')?.sum?.isMonotonic ?? false).to.equal(false);
    expect(valueOf('system.cpu.utilization')).to.be.within(0, 1);
    expect(valueOf('system.filesystem.limit')).to.be.greaterThan(2 ** 20);
    expect(receiver.metric('process.uptime')?.unit).to.equal('s');
    expect(receiver.resource()).to.include({
      'service.name': 'tagway',
      'service.instance.id': 'hall-3',
      'deployment.environment.name': 'plant 3',
      team: 'water',
      'process.pid': String(gateway.pid),
    });
    expect(receiver.resource()['service.version']).to.match(/^\d+\.\d+\.\d+$/);
    const { headers } = receiver.taken.at(-1)!;
    expect(headers).to.include({ 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' });

    // Two readers of one count: what the page says lies between what was sent before and after it.
    const reads = (): number => valueOf('tagway.tag.reads', plant) ?? 0;
    await until('reads', () => reads() > 0);
    const before = reads();
    const shown = await counted(gateway, 'tagway_tag_reads_total{node="plant"}');
    expect(shown).to.be.at.least(before);
    await until('as many as the page has shown', () => reads() >= shown);
  });

  it('have all that the page has, but what the resource says', async () => {
    const names = [...(await page(gateway)).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
    const points = (await page(gateway)).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const left = ['tagway_info', 'tagway_os_info', 'tagway_core_dumped'];
    expect(names).to.include.members(left);
    const last = (): number =>
      metricsOf(receiver.taken.at(-1)!).reduce(
        (sum, metric) => sum + ((metric.sum ?? metric.gauge)?.dataPoints?.length ?? 0),
        0,
      );
    // A last error that there is not is no value.
    const none = points.filter((line) => /last_error_(code|timestamp_ms)\{.*\} 0$/.test(line)).length;
    await until('every value', () => last() === points.length - left.length - none);
  });

  it('go on after a collector was away, which is one line of the log, and another when it is back', async () => {
    await receiver.close();
    await until('the line', async () => (await lines(gateway, 'does not take metrics')).length === 1);
    await until(
      'what waits',
      async () => (await counted(gateway, 'tagway_otlp_waiting_bytes{signal="metrics"}')) > 3000,
    );
    const { port } = receiver;
    receiver = await OtlpReceiver.start({ port });
    await until('what waited', () => receiver.taken.length > 3, { within: 90_000 });
    const [line] = await lines(gateway, 'takes metrics again');
    expect(line).to.match(
      /\[NOTICE\] gateway: The collector of OpenTelemetry at http.* takes metrics again, after \d+ s\.$/,
    );
    expect(await lines(gateway, 'does not take metrics')).to.have.length(1);
    expect((await lines(gateway, 'does not take metrics'))[0]).to.include('Check that it runs');
    // What waited came in its order.
    const times = receiver.taken.map((one) =>
      Number(metricsOf(one)[0]!.gauge?.dataPoints?.[0]?.timeUnixNano),
    );
    expect(times).to.deep.equal([...times].sort((one, other) => one - other));
  });

  const refusals: readonly (readonly [what: string, answer: Respond, said: RegExp])[] = [
    [
      'a status of its own',
      (response) => response.writeHead(400).end('secret'),
      /status 400\. These are dropped\./,
    ],
    [
      'a request that is too large for it',
      (response) => response.writeHead(413).end(),
      /status 413.*max_request_body_size/,
    ],
    [
      'a redirect',
      (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/v1/metrics?secret=1' }).end(),
      /a redirect, which is not followed.*perhaps http:\/\/127\.0\.0\.1:1\.$/,
    ],
    [
      'credentials that it does not know',
      (response) => response.writeHead(401).end(),
      /status 401.*--otlp-headers/,
    ],
    [
      'a part of them',
      (response) =>
        response
          .writeHead(200, { 'content-type': 'application/x-protobuf' })
          .end(partialAnswer(2, 'too old\nforged: line')),
      /leaves out a part of them, because of "too old forged: line"/,
    ],
  ];
  for (const [what, answer, said] of refusals)
    it(`are dropped and counted when it refuses ${what}`, async () => {
      const dropped = (): Promise<number> => counted(gateway, 'tagway_otlp_dropped_total{signal="metrics"}');
      const known = (await lines(gateway, 'does not take metrics')).length;
      const again = (await lines(gateway, 'takes metrics again')).length;
      const before = await dropped();
      const { requests } = receiver;
      receiver.respond = answer;
      await until('three refusals', () => receiver.requests > requests + 3);
      await until('the count', async () => (await dropped()) > before);
      const news = (await lines(gateway, 'does not take metrics')).slice(known);
      expect(news).to.have.length(1);
      expect(news[0]).to.match(said);
      expect(news[0]).to.not.include('secret');
      receiver.respond = takes;
      await until(
        'the line of the return',
        async () => (await lines(gateway, 'takes metrics again')).length === again + 1,
      );
    });

  it('wait as long as a collector with too much to do asks', async () => {
    const { requests } = receiver;
    receiver.respond = (response) => response.writeHead(429, { 'retry-after': '4' }).end();
    await until('the request', () => receiver.requests > requests);
    const asked = performance.now();
    const seen = receiver.requests;
    receiver.respond = takes;
    await until('the next request', () => receiver.requests > seen, { within: 30_000 });
    expect(performance.now() - asked).to.be.greaterThan(3500);
    await until('the line', async () => (await lines(gateway, 'takes metrics again')).length > 0);
  });

  it('take no harm from an answer that does not end, and are not sent twice because of it', async () => {
    const megabyte = Buffer.alloc(1 << 20);
    const { requests } = receiver;
    receiver.respond = (response) => {
      response.writeHead(200, { 'content-type': 'application/x-protobuf' });
      const more = (): void => {
        if (!response.destroyed) response.write(megabyte, more);
      };
      more();
    };
    await until('three requests', () => receiver.requests > requests + 3);
    const times = receiver.taken
      .slice(-3)
      .map((one) => metricsOf(one)[0]!.gauge?.dataPoints?.[0]?.timeUnixNano);
    expect(new Set(times).size).to.equal(3);
  });

  it('say of a counter that fell since when it counts anew', async () => {
    const starts = new Map<string, number>();
    const seen = new Set<object>();
    const gather = (): number => {
      for (const request of receiver.taken) {
        if (seen.has(request)) continue;
        seen.add(request);
        const point = pointOf(
          metricsOf(request).find(({ name }) => name === 'tagway.tag.reads'),
          plant,
        );
        if (point !== undefined) starts.set(point.startTimeUnixNano, Number(point.asInt));
      }
      return starts.size;
    };
    await until('a count', () => gather() > 0);
    const earlier = starts.size;
    process.kill((await gateway.runner('modbus')).pid, 'SIGKILL');
    await until('the count from anew', () => gather() === earlier + 1, { within: 60_000 });
    const [first, second] = [...starts.keys()].slice(-2);
    expect(Number(second)).to.be.greaterThan(Number(first));
    for (const request of receiver.taken)
      for (const point of receiver.metric('tagway.tag.reads')?.sum?.dataPoints ?? [])
        expect(BigInt(point.startTimeUnixNano) <= BigInt(point.timeUnixNano), request.signal).to.equal(true);
  });

  it('come after a restart of the gateway too, and the last ones before its end', async () => {
    const before = receiver.taken.length;
    await gateway.stop();
    expect(receiver.taken.length).to.be.greaterThan(before);
    await gateway.start();
    const { length } = receiver.taken;
    await until('metrics', () => receiver.taken.length > length);
    await until('the group', () => receiver.value('tagway.group.tag.count', plant) === 3);
    expect(attributesOf(receiver.taken.at(-1)!.resourceMetrics?.[0]?.resource.attributes)).to.include({
      'process.pid': String(gateway.pid),
    });
  });
});

(hasOpenssl ? describe : describe.skip)(
  `a collector of OpenTelemetry behind TLS${hasOpenssl ? '' : ': openssl is not installed'}`,
  function () {
    this.timeout(120_000);

    it('gets headers from a file and the certificate of the gateway, both renewed without a restart', async () => {
      await using stack = new AsyncDisposableStack();
      const folder = await mkdtemp(join(tmpdir(), 'tagway-otlp-'));
      stack.defer(() => rm(folder, { recursive: true }));
      const at = (name: string): string => join(folder, name);
      certify(at('server.pem'), at('server.key'), 'collector');
      certify(at('one.pem'), at('one.key'), 'gateway-one');
      const tls = {
        cert: readFileSync(at('server.pem')),
        key: readFileSync(at('server.key')),
        ca: readFileSync(at('one.pem')),
        requestCert: true,
        rejectUnauthorized: true,
      };
      const receiver = await OtlpReceiver.start({ tls });
      stack.defer(() => receiver.close());
      await writeFile(at('headers'), 'Authorization: Bearer first\nX-Site: hall 3\n');
      const gateway = await Gateway.start({
        args: [
          ...['--otlp-endpoint', `https://127.0.0.1:${receiver.port}`, '--otlp-interval', '1'],
          ...['--otlp-headers', at('headers'), '--otlp-compression', 'none'],
          ...['--otlp-ca', at('server.pem'), '--otlp-cert', at('one.pem'), '--otlp-key', at('one.key')],
        ],
      });
      stack.defer(() => gateway.dispose());
      await until('metrics', () => receiver.taken.length > 0);
      const [first] = receiver.taken;
      expect(first?.headers).to.include({ authorization: 'Bearer first', 'x-site': 'hall 3' });
      expect(first?.headers).to.not.have.property('content-encoding');
      expect(first?.client).to.equal('gateway-one');
      await writeFile(at('headers'), 'Authorization: Bearer second\n');
      await until('the new token', () => receiver.taken.at(-1)?.headers.authorization === 'Bearer second');
      // A file that is being written costs no metrics and stops nothing.
      await writeFile(at('headers'), 'Bearer second\n');
      await until('the line', async () => (await lines(gateway, 'Line 1 of')).length === 1);
      expect(await gateway.log()).to.not.include('Bearer second');
      await writeFile(at('headers'), 'Authorization: Bearer third\n');
      await until('the third', () => receiver.taken.at(-1)?.headers.authorization === 'Bearer third', {
        within: 60_000,
      });
    });

    it('that is not known, or does not know the gateway, is said with what to do', async () => {
      await using stack = new AsyncDisposableStack();
      const folder = await mkdtemp(join(tmpdir(), 'tagway-otlp-'));
      stack.defer(() => rm(folder, { recursive: true }));
      const at = (name: string): string => join(folder, name);
      certify(at('server.pem'), at('server.key'), 'collector');
      const tls = { cert: readFileSync(at('server.pem')), key: readFileSync(at('server.key')) };
      const receiver = await OtlpReceiver.start({ tls });
      stack.defer(() => receiver.close());
      const gateway = await Gateway.start({
        args: ['--otlp-endpoint', `https://127.0.0.1:${receiver.port}`, '--otlp-interval', '1'],
      });
      stack.defer(() => gateway.dispose());
      await until('the line', async () => (await lines(gateway, '--otlp-ca')).length === 1);
      expect(receiver.requests).to.equal(0);
    });
  },
);

describe('a collector of OpenTelemetry that is never there', function () {
  this.timeout(60_000);

  it('holds up neither the start nor the end of the gateway, and a file that is not good ends the start', async () => {
    await using stack = new AsyncDisposableStack();
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    const gateway = await Gateway.start({ args: ['--otlp-endpoint', endpoint, '--otlp-interval', '1'] });
    stack.defer(() => gateway.dispose());
    await until('the line', async () => (await lines(gateway, 'does not take metrics')).length === 1);
    const from = performance.now();
    await gateway.stop();
    expect(performance.now() - from).to.be.lessThan(10_000);
    let said = '';
    await gateway
      .start(['--otlp-endpoint', endpoint, '--otlp-headers', join(gateway.data, 'none')])
      .catch((error: unknown) => {
        said = String(error);
      });
    expect(said).to.include('none cannot be used: it is not there');
    await gateway.start([]);
  });
});
