import { expect } from 'chai';
import { logLevels } from '@tagway/schemas';
import { EntryTap } from '../../src/log/entry-tap.ts';
import { createLog } from '../../src/log/log.ts';
import type { LogEntry } from '../../src/core/ports/telemetry.ts';
import { recordOf, severities, sizeOf } from '../../src/otlp/log-data.ts';
import { resourceOf } from '../../src/otlp/resource.ts';
import { LogExport } from '../../src/otlp/log-export.ts';
import { Rig } from './rig.ts';

const identity = { name: 'one', version: '1.0.0', revision: 'abc' };
const os = { version: 'Debian', kernel: '6', machine: 'x64', clib: '' };
const origin = {
  resource: resourceOf(identity, os, {}),
  scope: { name: 'tagway', version: '1.0.0' },
  pluginOf: (node: string) => (node === 'plant' ? 'Modbus TCP' : undefined),
};
const entry = (more: Partial<LogEntry> = {}): LogEntry => ({
  time: 1_700_000_000_123,
  level: 'warn',
  name: 'gateway',
  message: 'It rains.',
  ...more,
});

describe('entries of the log for OpenTelemetry', function () {
  this.timeout(30_000);

  it('have a number for each level, in their order', () => {
    const numbers = logLevels.map((level) => severities[level]);
    expect(numbers).to.deep.equal([...new Set(numbers)].sort((one, other) => one - other));
  });

  it('have fields as attributes, of bounded length', () => {
    const { body, attributes, droppedAttributesCount } = recordOf(
      entry({
        name: 'plant',
        message: 'x'.repeat(10_000),
        fields: { count: 3, deep: { a: [1] }, long: 'y'.repeat(5000), none: null, isOn: true },
      }),
      origin,
    );
    expect(String(body)).to.have.length(8192);
    expect(attributes).to.deep.include({
      'tagway.node.name': 'plant',
      'tagway.plugin.name': 'Modbus TCP',
      count: 3,
      deep: '{"a":[1]}',
      none: 'null',
      isOn: true,
    });
    expect(String(attributes['long'])).to.have.length(2048);
    expect(droppedAttributesCount).to.equal(0);
    const many = recordOf(
      entry({ fields: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, 1])) }),
      origin,
    );
    expect(Object.keys(many.attributes)).to.have.length(64);
    expect(many.droppedAttributesCount).to.equal(36);
    expect(sizeOf(many)).to.be.greaterThan(64);
  });

  it('are dropped and counted when there are too many at once', async () => {
    await using rig = await Rig.start((_request, response) => response.end());
    const { counts } = rig;
    const logs = new LogExport(rig.sending, origin);
    for (let at = 0; at < 5000; at++) logs.take(entry());
    expect(counts.dropped).to.equal(3000);
    await logs.close(5000);
    expect(counts.sent).to.equal(2000);
    expect(rig.requests).to.equal(4);
    const large = new LogExport(rig.sending, origin);
    for (let at = 0; at < 1000; at++) large.take(entry({ message: 'x'.repeat(8192) }));
    expect(counts.dropped).to.be.within(3700, 3800);
    await large.close(5000);
  });

  it('are kept from the start on until somebody takes them, and go in no circle', () => {
    const tap = new EntryTap();
    for (let at = 0; at < 1200; at++) tap.push(entry({ time: at }));
    const taken: number[] = [];
    tap.begin(({ time }) => void taken.push(time));
    expect(taken).to.have.length(1000);
    tap.without(() => tap.push(entry({ time: -1 })));
    tap.push(entry({ time: 5000 }));
    expect(taken.slice(999)).to.deep.equal([999, 5000]);
    expect(createLog({ level: 'info', stdout: false }).entries).to.equal(undefined);
    const log = createLog({ level: 'info', stdout: false, isTapped: true });
    const entries: LogEntry[] = [];
    log.entries?.begin((one) => void entries.push(one));
    log.entries?.without(() => log.core.warn('about sending'));
    log.node('plant').error('It is dark.', { port: 9, error: new Error('no light') });
    expect(entries.map(({ name, level, message }) => [name, level, message])).to.deep.equal([
      ['plant', 'error', 'It is dark.'],
    ]);
    expect(entries[0]?.fields).to.have.property('port', 9);
  });
});
