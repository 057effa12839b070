import { expect } from 'chai';
import { DataType, LinkState, type Sample } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { layoutOf, sampleWith } from '@tagway/store/test';
import plugin from '../src/index.ts';
import { hasInfluxd, Influxd } from './servers.ts';
import { type InfluxTestNode, paramsOf, sampleOf, startNode, subscriptionOf } from './nodes.ts';

const deliver = (run: InfluxTestNode, ...samples: readonly Sample[]): void =>
  samples.forEach((sample) => run.deliver(sample, subscriptionOf(sample.layout)));

async function connectionSteps(params: Record<string, unknown>): Promise<string[]> {
  const steps: string[] = [];
  const { tryConnection } = plugin as unknown as { tryConnection(test: object): Promise<void> };
  const test = {
    node: 'a test',
    settings: paramsOf(params),
    signal: AbortSignal.timeout(5000),
    step: (name: string) => steps.push(name),
  };
  await tryConnection(test).catch((error: unknown) => steps.push(String(error)));
  return steps;
}

(hasInfluxd ? describe : describe.skip)(
  `InfluxDB 1${hasInfluxd ? '' : ' (skipped: influxdb is not installed)'}`,
  () => {
    let server: Influxd;
    before(async () => void (server = await Influxd.start()));
    after(() => server[Symbol.asyncDispose]());

    it('keeps every type as its own', async () => {
      const layout = layoutOf(
        [
          { name: 'i8', type: DataType.INT8 },
          { name: 'u32', type: DataType.UINT32 },
          { name: 'i64', type: DataType.INT64 },
          { name: 'u64', type: DataType.UINT64 },
          { name: 'f', type: DataType.FLOAT },
          { name: 'd', type: DataType.DOUBLE },
          { name: 'b', type: DataType.BOOL },
          { name: 's', type: DataType.STRING },
          { name: 'raw', type: DataType.BYTES },
          { name: 'scaled', type: DataType.INT16, scaled: true },
        ],
        { group: 'types' },
      );
      const values = [
        -5,
        4_294_967_295,
        2n ** 63n - 1n,
        7n,
        Math.fround(0.1),
        1e300,
        true,
        'a "b"\\\nc',
        Buffer.from([1, 255]),
        2,
      ];
      await using run = await startNode({ url: server.url });
      deliver(run, sampleWith(layout, values));
      await until('it is there', async () => (await server.query('SELECT * FROM "types"')).length === 1);
      const [row] = await server.query('SELECT * FROM "types"');
      expect(row).to.deep.equal({
        measurement: 'types',
        time: '1650006388943000000',
        node: 'modbus',
        i8: -5,
        u32: 4_294_967_295,
        i64: '9223372036854775807',
        u64: 7,
        f: 0.1,
        d: 1e300,
        b: true,
        s: 'a "b"\\\nc',
        raw: '01ff',
        scaled: 2,
      });
      const kinds = await server.query('SHOW FIELD KEYS FROM "types"');
      expect(Object.fromEntries(kinds.map(({ fieldKey, fieldType }) => [fieldKey, fieldType]))).to.include({
        i8: 'integer',
        u64: 'integer',
        d: 'float',
        scaled: 'float',
        b: 'boolean',
      });
    });

    it('leaves out what is above its integers, counts it, and says so', async () => {
      const layout = layoutOf(
        [
          { name: 'a', type: DataType.UINT64 },
          { name: 'b', type: DataType.UINT64 },
        ],
        { group: 'large' },
      );
      await using run = await startNode({ url: server.url });
      // The bits of 2^63.
      deliver(run, sampleWith(layout, [-(2n ** 63n), 1n]));
      await until(
        'the rest is there',
        async () => (await server.query('SELECT b FROM "large"')).length === 1,
      );
      expect(run.count('dropped_msgs_total')).to.equal(1);
      expect(run.lines.join()).to.include('above 9223372036854775807');
    });

    it('keeps several values of a tag apart that have the same millisecond', async () => {
      const layout = layoutOf(
        [
          { name: 'a', type: DataType.INT16 },
          { name: 'b', type: DataType.INT16 },
        ],
        { group: 'events' },
      );
      const rows = Uint32Array.from([0, 1, 0, 0]);
      const numbers = Float64Array.from([1, 2, 3, 4]);
      await using run = await startNode({ url: server.url });
      deliver(run, { ...sampleWith(layout, [0, 0]), rows, numbers });
      await until('all are there', async () => (await server.query('SELECT a FROM "events"')).length === 3);
      const found = await server.query('SELECT a FROM "events"');
      expect(found.map(({ a }) => a)).to.deep.equal([1, 3, 4]);
      expect(found.map(({ time }) => time)).to.deep.equal(
        ['0', '1', '2'].map((digit) => `165000638894300000${digit}`),
      );
    });

    it('writes errors and qualities where the settings say so, and source times', async () => {
      const layout = layoutOf(
        [
          { name: 'a', type: DataType.INT16 },
          { name: 'b', type: DataType.INT16 },
        ],
        { group: 'meta' },
      );
      await using run = await startNode({
        url: server.url,
        upload_err: true,
        upload_meta: true,
        precision: 2,
      });
      const more = {
        qualities: Uint32Array.from([0, 1]),
        timestamps: Float64Array.from([NaN, 1_600_000_000_123]),
      };
      deliver(run, sampleWith(layout, [{ fault: 3002 }, 5], more));
      await until('both are there', async () => (await server.query('SELECT * FROM "meta"')).length === 2);
      const [early, late] = await server.query('SELECT * FROM "meta"');
      expect(early).to.include({ time: '1600000000123000000', b: 5, b_quality: 1 });
      expect(late).to.include({ time: '1650006388943000000', a_error: 3002 });
    });

    it('drops a bad value alone, says which, and goes on', async () => {
      const other = layoutOf(
        [
          { name: 'tag0', type: DataType.DOUBLE },
          { name: 'fine', type: DataType.INT16 },
        ],
        { group: 'clash' },
      );
      const first = layoutOf([{ name: 'tag0', type: DataType.INT16 }], { group: 'clash' });
      await using run = await startNode({ url: server.url, measurement: '{group}', 'tag-set': '' });
      deliver(run, sampleWith(first, [1]));
      await until('the type is set', async () => (await server.query('SELECT * FROM "clash"')).length === 1);
      const at = (timestamp: number): Partial<Sample> => ({ timestamp });
      deliver(
        run,
        sampleWith(first, [2], at(1000)),
        sampleWith(other, [1.5, 7], at(2000)),
        sampleWith(first, [3], at(3000)),
      );
      await until(
        'the good ones are there',
        async () => (await server.query('SELECT tag0 FROM "clash"')).length === 3,
      );
      // The answer comes after the values are there.
      await until('the bad one is counted', () => run.count('dropped_msgs_total') === 1);
      expect(run.lines.join()).to.match(/gave up 1 .*field type conflict.*tag0/s);
      expect(run.link).to.equal(LinkState.CONNECTED);
    });

    it('waits for a database that is missing, and says so', async () => {
      await using run = await startNode({ url: server.url, database: 'later' }, 10);
      deliver(run, sampleOf(1));
      await until('it is refused', () => run.link === LinkState.DISCONNECTED);
      expect(run.reports.at(-1)?.reason)
        .to.include('database not found: "later"')
        .and.to.include('nothing creates it but you');
      await server.query('CREATE DATABASE "later"');
      await until(
        'it is there',
        async () => (await server.query('SELECT * FROM "grp"', 'later')).length === 1,
      );
      expect(run.count('dropped_msgs_total')).to.equal(0);
    });

    it('is not waited for without end when it does not answer, and has every point once', async () => {
      await using run = await startNode({ url: server.url, measurement: 'late', timeout: 300 });
      deliver(run, sampleOf(1, 1000));
      await until('the first is confirmed', () => run.count('send_msgs_total') === 1);
      server.pause();
      try {
        deliver(run, sampleOf(2, 2000));
        await until('the node is disconnected', () => run.link === LinkState.DISCONNECTED);
        expect(run.reports.at(-1)?.reason).to.include('no answer within 300 ms');
      } finally {
        server.goOn();
      }
      await until('the other is confirmed', () => run.count('send_msgs_total') === 2);
      const rows = await server.query('SELECT * FROM "late"');
      expect(rows.map(({ tag0 }) => tag0)).to.deep.equal([1, 2]);
      expect(run.count('dropped_msgs_total')).to.equal(0);
    });

    it('takes what is larger than it allows in halves, and compressed', async () => {
      const layout = layoutOf(
        Array.from({ length: 2000 }, (_, index) => ({
          name: `a tag with a rather long name, so that a line of them is long ${index}`,
          type: DataType.INT16,
        })),
        { group: 'wide' },
      );
      await using run = await startNode({
        url: server.url,
        'batch-size': 5000,
        'batch-age': 500,
        gzip: false,
      });
      for (let index = 0; index < 12; index++)
        deliver(
          run,
          sampleWith(
            layout,
            layout.columns.map(() => index),
            { timestamp: 1e12 + index },
          ),
        );
      await until(
        'all are there',
        async () =>
          (await server.query('SELECT count(*) FROM "wide"'))[0]?.[
            'count_a tag with a rather long name, so that a line of them is long 7'
          ] === 12,
      );
      await using packed = await startNode({ url: server.url, gzip: true, measurement: 'packed' });
      deliver(packed, sampleOf(1));
      await until('it is there', async () => (await server.query('SELECT * FROM "packed"')).length === 1);
    });

    it('tries a connection up to the write of nothing', async () => {
      expect(await connectionSteps({ url: server.url })).to.deep.equal([
        'connect',
        'login',
        'rights',
        'write',
      ]);
      const missing = await connectionSteps({ url: server.url, database: 'nowhere' });
      expect(missing.at(-2)).to.equal('write');
      expect(missing.at(-1)).to.include('database not found: "nowhere"');
      expect((await connectionSteps({ url: 'http://tagway.invalid' })).at(0)).to.equal('resolve');
    });
  },
);

(hasInfluxd ? describe : describe.skip)(
  `InfluxDB 1 with logins${hasInfluxd ? '' : ' (skipped: influxdb is not installed)'}`,
  () => {
    it('takes samples again once a password that was changed is changed in the settings, and loses none', async () => {
      await using server = await Influxd.start({ auth: true });
      const login = { url: server.url, username: 'admin', password: 'admin' };
      await using run = await startNode({ ...login, password: 'before' }, 10);
      deliver(run, sampleOf(1, 1000), sampleOf(2, 2000));
      await until('it is refused', () => run.link === LinkState.DISCONNECTED);
      expect(run.reports.at(-1)?.reason).to.include('it answers 401').and.to.include('Check the login');
      expect(await connectionSteps({ ...login, password: 'before' }))
        .to.include('login')
        .and.not.include('rights');
      await run.restart(paramsOf(login));
      deliver(run, sampleOf(3, 3000));
      await until('all are there', async () => (await server.query('SELECT * FROM "grp"')).length === 3);
      expect(run.count('dropped_msgs_total')).to.equal(0);
    });
  },
);
