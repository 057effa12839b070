import { expect } from 'chai';
import { recordOf, RowSequence } from '../src/record.ts';
import { storeOf } from '../src/postgresql.ts';
import { paramsFor, sampleOf } from './nodes.ts';
import { hasPostgres, postgres, PostgresServer } from '@tagway/testkit/postgres-server';

(hasPostgres ? describe : describe.skip)(`a batch that comes again: ${postgres}`, () => {
  it('changes nothing, whether all of it was stored or a part', async () => {
    await using server = await PostgresServer.start();
    for (const form of [0, 1]) {
      const clock = { monotonic: () => performance.now() };
      const store = storeOf({ settings: paramsFor(server.port, { form }), node: 'store', clock });
      const sequence = new RowSequence(Date.now());
      const records = [1, 2, 3, 4].map((value) => ({
        sequence: value,
        data: recordOf(sampleOf(value), sequence, { faults: true, all: false })!,
      }));
      const batch = (from: number, to: number): Parameters<typeof store.send>[0] => ({
        id: '1',
        time: 0,
        bytes: 0,
        records: records.slice(from, to),
      });
      const { signal } = new AbortController();
      const table = form === 0 ? 'tag_values' : 'modbus_grp';
      const stored = (): Promise<string[][]> => server.sql(`SELECT *, ctid FROM ${table} ORDER BY ctid`);
      await store.connect(signal);
      await store.send(batch(0, 2), signal);
      const before = await stored();
      expect(before).to.have.length(form === 0 ? 4 : 2);
      await store.send(batch(0, 2), signal);
      expect(await stored()).to.deep.equal(before);
      await store.disconnect();
      await store.connect(signal);
      // All four are of one tag and one millisecond.
      await store.send(batch(0, 4), signal);
      const after = await stored();
      expect(after).to.have.length(before.length * 2);
      expect(after.slice(0, before.length)).to.deep.equal(before);
      await store.disconnect();
    }
  });
});
