import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { layoutOf, sampleWith } from '@tagway/store/test';
import { hasVictoriaMetrics, VictoriaMetrics } from './servers.ts';
import { startNode, subscriptionOf } from './nodes.ts';

const title = hasVictoriaMetrics
  ? 'VictoriaMetrics'
  : 'VictoriaMetrics (skipped: victoria-metrics is not installed)';

(hasVictoriaMetrics ? describe : describe.skip)(title, () => {
  let server: VictoriaMetrics;
  before(async () => void (server = await VictoriaMetrics.start()));
  after(() => server[Symbol.asyncDispose]());

  for (const [name, store, place] of [
    ['the path of InfluxDB 1', 3, {}],
    ['the path of InfluxDB 2', 1, { org: 'o', bucket: 'b', token: 't' }],
  ] as const)
    it(`keeps numbers as floats, over ${name}`, async () => {
      const group = `types${store}`;
      const layout = layoutOf(
        [
          { name: 'int', type: DataType.INT32 },
          { name: 'wide', type: DataType.INT64 },
          { name: 'real', type: DataType.DOUBLE },
          { name: 'on', type: DataType.BOOL },
        ],
        { group },
      );
      await using run = await startNode({ url: server.url, store, precision: 2, ...place });
      const timestamp = Date.now() - 5000;
      run.deliver(sampleWith(layout, [-5, 2n ** 53n + 1n, 0.1, true], { timestamp }), subscriptionOf(layout));
      await until(
        'all are there',
        async () => (await server.series(`{__name__=~"${group}_.*"}`)).length === 4,
      );
      const series = await server.series(`{__name__=~"${group}_.*"}`);
      const values: Record<string, unknown> = Object.fromEntries(
        series.map(({ metric, values: [first] }) => [String(metric['__name__']), first]),
      );
      // The last digit of the integer of 64 bits is lost: it is 9007199254740993.
      expect(values).to.deep.equal({
        [`${group}_int`]: -5,
        [`${group}_wide`]: 9_007_199_254_740_992,
        [`${group}_real`]: 0.1,
        [`${group}_on`]: 1,
      });
      expect(new Set(series.flatMap(({ timestamps }) => timestamps))).to.deep.equal(new Set([timestamp]));
      expect(series[0]?.metric['node']).to.equal('modbus');
      await until('it is counted', () => run.count('send_msgs_total') === 1);
    });

  it('is sent no texts, which it does not keep, and counts no invalid line', async () => {
    const layout = layoutOf(
      [
        { name: 'text', type: DataType.STRING },
        { name: 'number', type: DataType.INT16 },
      ],
      { group: 'texts' },
    );
    await using run = await startNode({ url: server.url, store: 3 });
    run.deliver(sampleWith(layout, ['a\nb', 7], { timestamp: Date.now() - 5000 }), subscriptionOf(layout));
    await until('the number is there', async () => (await server.series('texts_number')).length === 1);
    expect(await server.series('texts_text')).to.deep.equal([]);
    expect(await server.meter('vm_rows_invalid_total{type="influx"}')).to.equal(0);
  });
});
