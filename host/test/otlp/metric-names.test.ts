import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { attributeOf, semanticOf, semantics } from '../../src/otlp/metric-names.ts';
import { rowOf } from './names-table.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/opentelemetry.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

describe('names of metrics for OpenTelemetry', () => {
  it('are in the table of the documentation, each with its unit, kind and attributes', () => {
    const expected = Object.entries(semantics).map(([name, semantic]) => rowOf(name, semantic));
    expect(rows.filter(([first = '']) => first.startsWith('`tagway_'))).to.deep.equal(expected);
  });

  it('are written as the conventions ask, and one name has one unit and one kind', () => {
    const known = new Map<string, string>();
    for (const semantic of Object.values(semantics)) {
      if ('leftOut' in semantic) continue;
      const { name, unit, kind, attributes = {} } = semantic;
      expect(name).to.match(/^(system|process|tagway)(\.[a-z][a-z0-9]*(_[a-z0-9]+)*)+$/);
      expect(name).to.not.match(/_total$|_(bytes|ms|seconds|percent)$/);
      for (const key of Object.keys(attributes)) expect(key).to.match(/^[a-z]+(\.[a-z_]+)+$/);
      const own = `${unit} ${kind}`;
      expect(known.get(name) ?? own, name).to.equal(own);
      known.set(name, own);
    }
  });

  it('of what plugins count follow from the name on the page', () => {
    const counter = (name: string) => semanticOf({ name, type: 'counter' });
    expect(counter('tagway_publish_retries_total')).to.deep.equal({
      name: 'tagway.plugin.publish_retries',
      unit: '1',
      kind: 'sum',
    });
    expect(counter('tagway_written_bytes_total')).to.deep.equal({
      name: 'tagway.plugin.written',
      unit: 'By',
      kind: 'sum',
    });
    expect(semanticOf({ name: 'tagway_queue_ms', type: 'gauge' })).to.deep.equal({
      name: 'tagway.plugin.queue',
      unit: 's',
      kind: 'gauge',
      scale: 1e-3,
    });
    // Names that every object has are no rows of the table.
    expect(semanticOf({ name: 'constructor', type: 'gauge' })?.name).to.equal('tagway.plugin.constructor');
    expect(semanticOf({ name: 'tagway_info', type: 'gauge' })).to.equal(undefined);
    expect(attributeOf('node')).to.equal('tagway.node.name');
    expect(attributeOf('kind')).to.equal('tagway.kind');
  });
});
