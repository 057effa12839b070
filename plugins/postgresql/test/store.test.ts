import { layoutOf, sampleWith } from '@tagway/store/test';
import { expect } from 'chai';
import { DataType, LinkState, Quality, type Sample, type Subscription } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { paramsFor, type PostgresNode, startNode } from './nodes.ts';
import { hasPostgres, postgres, PostgresServer } from '@tagway/testkit/postgres-server';

const types = [
  'BOOL',
  'BIT',
  'INT8',
  'UINT32',
  'INT64',
  'UINT64',
  'FLOAT',
  'DOUBLE',
  'STRING',
  'BYTES',
] as const;

const layout = layoutOf(
  types.map((name) => ({ name, type: DataType[name] })),
  { driver: 'boiler 1', group: 'fast "one"' },
);
const subscription: Subscription = { id: 1, driver: 'boiler 1', group: 'fast "one"', layout };
const at = Date.UTC(2025, 4, 1, 12, 0, 0, 123);

const highs = [
  true,
  1,
  127,
  0xffff_ffff,
  2n ** 63n - 1n,
  2n ** 64n - 1n,
  0.1,
  Math.PI,
  'Ünïcödé 漢字 \u{1f600}',
  Uint8Array.of(0, 255),
];
const lows = [false, 0, -128, 0, -(2n ** 63n), 0n, -0.5, -1e300, '', new Uint8Array()];
const odd = [
  true,
  1,
  -1,
  1,
  -1n,
  100_000_000n,
  Math.fround(1e-40),
  5e-324,
  `a'b"c\\d\n\t\0{},NULL`,
  Uint8Array.of(0x5c, 0x27),
];

async function delivered(run: PostgresNode, samples: readonly Sample[]): Promise<void> {
  for (const sample of samples) await run.app.deliver(sample, subscription);
}

async function stored(server: PostgresServer, rows: number, table = 'tag_values'): Promise<void> {
  await until(
    `${rows} rows are stored`,
    async () => (await server.count(`SELECT count(*) FROM ${table}`).catch(() => 0)) >= rows,
  );
}

(hasPostgres ? describe : describe.skip)(`what is stored: ${postgres}`, () => {
  let server: PostgresServer;
  before(async () => (server = await PostgresServer.start()));
  after(() => server[Symbol.asyncDispose]());
  afterEach(() => server.sql('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));

  it('has a row for each value, exact in a column of its type', async () => {
    await using run = await startNode(paramsFor(server.port));
    await delivered(
      run,
      [highs, lows, odd].map((values, count) => sampleWith(layout, values, { timestamp: at + count })),
    );
    await stored(server, 30);
    const rows = await server.sql(
      `SELECT extract(epoch FROM time) * 1000, node, "group", tag, bool_value, int_value, uint_value, float_value, text_value,
        encode(bytes_value, 'hex'), error, quality FROM tag_values ORDER BY time`,
    );
    const of = (tag: string): string[][] => rows.filter((row) => row[3] === tag);
    for (const tag of types)
      expect(of(tag).map(([time, node, group]) => [Number(time), node, group])).to.deep.equal(
        [0, 1, 2].map((count) => [at + count, 'boiler 1', 'fast "one"']),
      );
    const values = (tag: string): string[] => of(tag).map((row) => row.slice(4, 10).join('|'));
    expect(values('BOOL')).to.deep.equal(['t|||||', 'f|||||', 't|||||']);
    expect(values('BIT')).to.deep.equal(['|1||||', '|0||||', '|1||||']);
    expect(values('INT8')).to.deep.equal(['|127||||', '|-128||||', '|-1||||']);
    expect(values('UINT32')).to.deep.equal(['|4294967295||||', '|0||||', '|1||||']);
    expect(values('INT64')).to.deep.equal([
      '|9223372036854775807||||',
      '|-9223372036854775808||||',
      '|-1||||',
    ]);
    expect(values('UINT64')).to.deep.equal(['||18446744073709551615|||', '||0|||', '||100000000|||']);
    expect(of('FLOAT').map((row) => Number(row[7]))).to.deep.equal([0.1, -0.5, Math.fround(1e-40)]);
    expect(of('DOUBLE').map((row) => Number(row[7]))).to.deep.equal([Math.PI, -1e300, 5e-324]);
    expect(of('STRING').map((row) => row[8])).to.deep.equal([
      'Ünïcödé 漢字 \u{1f600}',
      '',
      `a'b"c\\d\n\t\uFFFD{},NULL`,
    ]);
    expect(of('BYTES').map((row) => row[9])).to.deep.equal(['00ff', '', '5c27']);
    expect(rows.map((row) => row.slice(10).join())).to.deep.equal(rows.map(() => ',0'));
    expect(run.count('send_msgs_total')).to.equal(3);
    expect(run.lines.filter((line) => line.includes('gave up'))).to.deep.equal([]);
  });

  it('has faults with their codes, qualities, and of two values of one millisecond both', async () => {
    await using run = await startNode(paramsFor(server.port));
    const small = layoutOf([
      { name: 'one', type: DataType.INT16 },
      { name: 'two', type: DataType.DOUBLE },
    ]);
    const whole = sampleWith(small, [1, { fault: 3002 }], {
      timestamp: at,
      qualities: Uint32Array.of(Quality.STALE | 0x8000_0000, 0),
    });
    const events = sampleWith(small, [], {
      timestamp: at,
      rows: Uint32Array.of(0, 0, 1),
      numbers: Float64Array.of(2, 3, NaN),
    });
    await delivered(run, [
      whole,
      sampleWith(small, [1, 0.5], { timestamp: at, due: Uint8Array.of(0, 0) }),
      events,
    ]);
    await stored(server, 5);
    expect(
      await server.sql(
        'SELECT tag, int_value, float_value, error, quality FROM tag_values ORDER BY seq, tag',
      ),
    ).to.deep.equal([
      ['one', '1', '', '', String(0x8000_0002)],
      ['two', '', '', '3002', '0'],
      ['one', '2', '', '', '0'],
      ['one', '3', '', '', '0'],
      ['two', '', 'NaN', '', '0'],
    ]);
  });

  it('has the time that the device gave where that is wanted, and that of the reading where the device gave none', async () => {
    await using run = await startNode(paramsFor(server.port, { value_time: 1, upload_err: false }));
    const timestamps = Float64Array.from(types, (_, index) => [at - 1000.5, NaN, 9e15][index % 3]!);
    await delivered(run, [
      sampleWith(layout, [{ fault: 3002 }, ...highs.slice(1)], { timestamp: at, timestamps }),
    ]);
    await stored(server, 9);
    const rows = await server.sql('SELECT tag, extract(epoch FROM time) * 1000 FROM tag_values');
    expect(new Map(rows.map(([tag, time]) => [tag, Number(time)]))).to.deep.equal(
      new Map(types.slice(1).map((tag, index) => [tag, index % 3 === 2 ? at - 1000.5 : at])),
    );
  });

  it('has a row for each sample where that is wanted, with columns for new tags only where tables may be altered', async () => {
    const table = '"boiler 1_fast ""one"""';
    await using run = await startNode(paramsFor(server.port, { form: 1 }));
    await delivered(run, [
      sampleWith(layout, highs, { timestamp: at }),
      sampleWith(layout, [{ fault: 3002 }, ...lows.slice(1)], {
        timestamp: at,
        due: Uint8Array.from(types, (_, index) => (index === 0 ? 1 : 0)),
      }),
    ]);
    await stored(server, 2, table);
    expect(
      await server.sql(
        `SELECT "BOOL", "INT64", "UINT64", "FLOAT"::real, "STRING", encode("BYTES", 'hex') FROM ${table} ORDER BY seq`,
      ),
    ).to.deep.equal([
      ['t', '9223372036854775807', '18446744073709551615', '0.1', 'Ünïcödé 漢字 \u{1f600}', '00ff'],
      ['', '-9223372036854775808', '0', '-0.5', '', ''],
    ]);
    const long = 'x'.repeat(80);
    const more = layoutOf(
      [
        { name: 'BOOL', type: DataType.INT16 },
        { name: long, type: DataType.INT16 },
        { name: 'INT8', type: DataType.INT8 },
      ],
      { driver: 'boiler 1', group: 'fast "one"' },
    );
    await delivered(run, [sampleWith(more, [1, 2, 3], { timestamp: at })]);
    await stored(server, 3, table);
    expect(run.count('dropped_msgs_total'), 'values').to.equal(2);
    const [line] = run.lines.filter((text) => text.includes('gave up'));
    expect(line)
      .to.match(/2 .*no column "x{54}_[0-9a-f]{8}".*alter_tables/)
      .and.match(/"BOOL" .* is of the type bool/);
    await run.restart(paramsFor(server.port, { form: 1, alter_tables: true }));
    await delivered(run, [sampleWith(more, [{ fault: 3002 }, 2, 4], { timestamp: at })]);
    await stored(server, 4, table);
    const [{ 0: column = '' } = []] = await server.sql(
      `SELECT attname FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attname LIKE 'xx%'`,
    );
    expect(
      await server.sql(`SELECT "${column}", "INT8" FROM ${table} ORDER BY seq DESC LIMIT 2`),
    ).to.deep.equal([
      ['2', '4'],
      ['', '3'],
    ]);
    expect(run.link).to.equal(LinkState.CONNECTED);
  });

  it('has as many columns as a table takes, and says what has none', async () => {
    const many = layoutOf(
      Array.from({ length: 1700 }, (_, index) => ({ name: `b${index}`, type: DataType.BOOL })),
    );
    await using run = await startNode(paramsFor(server.port, { form: 1 }));
    const values = many.columns.map((_, index) => index % 2 === 0);
    await delivered(run, [sampleWith(many, values, { timestamp: at })]);
    await stored(server, 1, 'modbus_grp');
    expect(await server.sql('SELECT b0, b1, b1597 FROM modbus_grp')).to.deep.equal([['t', 'f', 'f']]);
    expect(run.count('dropped_msgs_total')).to.equal(102);
    expect(run.lines.filter((line) => line.includes('gave up')).join()).to.match(/PostgreSQL takes no more/);
  });
});
