import { layoutOf, problemsBy, sampleWith } from '@tagway/store/test';
import { expect } from 'chai';
import { DataType, type PreviewMessage } from '@tagway/sdk';
import { preview } from '../src/preview.ts';
import { checkSettings } from '../src/settings.ts';
import { paramsFor, settingsOf } from './nodes.ts';

const base = { host: 'db', port: 5432, database: 'plant', user: 'writer' };
const problemOf = problemsBy(settingsOf, checkSettings, base);

describe('the settings of a PostgreSQL node', () => {
  it('are taken with defaults', () => {
    expect(problemOf({})).to.equal(undefined);
    expect(settingsOf(base)).to.include({
      form: 0,
      schema: 'public',
      create_tables: true,
      alter_tables: false,
    });
  });

  for (const [params, problem] of [
    [{ host: 'db:5432' }, /host is "db:5432"/],
    [{ port: 0 }, /port/],
    [{ database: '' }, /database/],
    [{ table: '{what}' }, /"table" is not a template: "\{what\}" is not a placeholder/],
    [{ table: 'x{tag}' }, /there is no table for each tag/],
    [{ form: 1, table: 'all' }, /"table" needs \{driver\} and \{group\} with "form" 1/],
    [{ form: 1, table: '{group}' }, /"table" needs \{driver\} and \{group\} with "form" 1/],
    [{ ssl: true, ca: Buffer.from('x').toString('base64') }, /"ca" is no certificate/],
    [{ ssl: true, cert: 'AAAA' }, /"cert"/],
    [{ 'cache-mem-size': 20, 'cache-disk-size': 10 }, /"cache-mem-size" must not be larger/],
  ] as const)
    it(`are refused as ${JSON.stringify(params)}`, () => {
      expect(problemOf(params)).to.match(problem);
    });

  it('show what would be stored', () => {
    const layout = layoutOf([
      { name: 'one', type: DataType.UINT64 },
      { name: 'two', type: DataType.BYTES },
      { name: 'three', type: DataType.BOOL },
    ]);
    const sample = sampleWith(layout, [2n ** 63n, Uint8Array.of(1, 255), { fault: 3002 }], {
      timestamp: Date.UTC(2025, 4, 1),
    });
    const shown = (params: Record<string, unknown>): readonly PreviewMessage[] =>
      preview({
        node: 'store',
        settings: paramsFor(1, params),
        subscription: { driver: 'modbus', group: 'grp', layout },
        sample,
      });
    const head = { time: '2025-05-01T00:00:00.000Z', node: 'modbus', group: 'grp' };
    const [narrow] = shown({ table: 'values_{driver}' });
    expect(narrow?.topic).to.equal('"public"."values_modbus"');
    expect(narrow?.payload.split('\n').map((line) => JSON.parse(line) as unknown)).to.deep.equal([
      { ...head, tag: 'one', uint_value: '9223372036854775808', quality: 0 },
      { ...head, tag: 'two', bytes_value: '\\x01ff', quality: 0 },
      { ...head, tag: 'three', error: 3002, quality: 0 },
    ]);
    expect(shown({ form: 1 })).to.deep.equal([
      {
        topic: '"public"."modbus_grp"',
        payload: '{"time":"2025-05-01T00:00:00.000Z","one":"9223372036854775808","two":"\\\\x01ff"}',
      },
    ]);
  });
});
