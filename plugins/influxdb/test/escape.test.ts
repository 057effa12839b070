import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { layoutOf, sampleWith } from '@tagway/store/test';
import { LayoutLines } from '../src/lines.ts';
import { splitLines } from '../src/split.ts';
import { hasInfluxd, hasVictoriaMetrics, Influxd, VictoriaMetrics } from './servers.ts';
import { paramsOf } from './nodes.ts';

/** Characters that mean something in line protocol, and some that mean nothing. */
const alphabet = [
  ' ',
  ',',
  '=',
  '"',
  '\\',
  '#',
  '\t',
  '\n',
  '\r',
  '\u0000',
  '_',
  'a',
  'é',
  '温',
  '😀',
  "'",
  'time',
  '{',
  '1i',
  '/',
];

/** A generator whose sequence is the same for the same seed. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

function textsOf(seed: number, count: number): string[] {
  const random = numbers(seed);
  const below = (limit: number): number => Math.floor(random.next().value * limit);
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + below(6) }, () => alphabet[below(alphabet.length)]).join(''),
  );
}

/** What a name is expected to arrive as. */
// eslint-disable-next-line no-control-regex -- They are what is replaced.
const sound = (name: string): string => name.replace(/[\u0000-\u001f\u007f]|\\(?=[\\,= "]|$)/g, '_');
const soundKey = (name: string): string => sound(name).replace(/^time$/, 'time_');

const store = paramsOf({
  url: 'http://127.0.0.1',
  measurement: '{group}',
  'tag-set': 'at={tag}',
  field: '{tag}',
});

/** One line for each name, which is measurement, tag and field, with the name as a text. */
function linesFor(names: readonly string[]): Buffer[] {
  return names.flatMap((name, index) => {
    const layout = layoutOf(
      [
        { name, type: DataType.STRING },
        { name: 'n', type: DataType.INT16 },
      ],
      { group: name },
    );
    return new LayoutLines('app', layout, store, () => undefined).of(
      sampleWith(layout, [name, index], { timestamp: 1000 + index }),
    );
  });
}

describe('line protocol', () => {
  it('is split into its lines whatever is in texts and names', () => {
    const lines = linesFor(textsOf(1, 2000)).flatMap((piece) => splitLines(piece));
    expect(lines).to.have.length(4000);
    for (const line of lines)
      expect(Buffer.from(line).toString()).to.match(/ \d{18}\n$|\d{19}\n$|\d{16}\n$|\d+\n$/);
    expect(Buffer.concat(lines).equals(Buffer.concat(linesFor(textsOf(1, 2000))))).to.equal(true);
  });

  (hasInfluxd ? it : it.skip)(
    `is understood by InfluxDB as it is meant${hasInfluxd ? '' : ' (skipped: influxdb is not installed)'}`,
    async function () {
      this.timeout(60_000);
      await using server = await Influxd.start();
      const names = [...textsOf(7, 250), ...alphabet];
      const lines = Buffer.concat(linesFor(names));
      const answer = await fetch(`${server.url}/write?db=plant&precision=ns`, {
        method: 'POST',
        body: lines,
      });
      expect([answer.status, await answer.text()]).to.deep.equal([204, '']);
      const rows = await server.query('SELECT * FROM /.*/');
      const found = new Map(rows.map((row) => [String(row['time']), row]));
      for (const [index, name] of names.entries()) {
        const time = String((1000 + index) * 1_000_000);
        const own = rows.filter(
          (row) =>
            String(row['time']) === time && row[soundKey(name)] !== null && row[soundKey(name)] !== undefined,
        );
        const context = JSON.stringify(name);
        expect(found.has(time), context).to.equal(true);
        const row = own.find((one) => one['at'] === sound(name));
        expect(row, context).to.not.equal(undefined);
        expect(row?.['measurement'], context).to.equal(sound(name).replace(/^#/, '_'));
        expect(row?.[soundKey(name)], context).to.equal(name);
      }
    },
  );

  (hasVictoriaMetrics ? it : it.skip)(
    `is understood by VictoriaMetrics as it is meant${hasVictoriaMetrics ? '' : ' (skipped: victoria-metrics is not installed)'}`,
    async () => {
      await using server = await VictoriaMetrics.start();
      const names = [...new Set([...textsOf(9, 400), ...alphabet].map(sound))];
      const settings = { ...store, store: 3, measurement: 'm', field: 'f' } as const;
      const layout = layoutOf(names.map((name) => ({ name, type: DataType.INT32 })));
      const pieces = new LayoutLines('app', layout, settings, () => undefined).of(
        sampleWith(
          layout,
          names.map((_, index) => index),
          { timestamp: Date.now() - 5000 },
        ),
      );
      const answer = await fetch(`${server.url}/write`, { method: 'POST', body: Buffer.concat(pieces) });
      expect(answer.status).to.equal(204);
      let series = await server.series('m_f');
      for (let tries = 0; tries < 50 && series.length < names.length; tries++)
        series = await server.series('m_f');
      const values = new Map(series.map(({ metric, values: [first] }) => [metric['at'], first]));
      expect(await server.meter('vm_rows_invalid_total{type="influx"}')).to.equal(0);
      for (const [index, name] of names.entries())
        expect(values.get(name), JSON.stringify(name)).to.equal(index);
    },
  );
});
