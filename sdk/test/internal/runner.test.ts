import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/schemas';
import type { Form, FromRunner } from '@tagway/sdk/internal';
import { group, isLog, isSample, openLine, tag } from './harness.ts';

for (const form of ['inline', 'forked'] as readonly Form[]) {
  describe(`runner, ${form}`, function () {
    this.timeout(20_000);

    describe('a driver node', () => {
      it('polls a group into columns, with a fault in its place', async () => {
        await using line = await openLine(form, 'recorder');
        expect(await line.start(1)).to.equal(true);
        const tags = [
          tag('a', '7'),
          tag('b', `fault ${ErrorCode.NO_RESPONSE}`),
          tag('c', '9007199254740993!', { type: DataType.INT64 }),
          tag('d', '"text', { type: DataType.STRING }),
          tag('e', 'bytes', { type: DataType.BYTES }),
          tag('f', 'true', { type: DataType.BOOL }),
          tag('g', '"not a number'),
          tag('h', 'nan', { type: DataType.DOUBLE }),
        ];
        line.send({ op: 'group', node: 1, config: group(5, 100, tags) });
        const { sample } = await line.next(isSample);
        expect(sample.group).to.equal(5);
        expect([...sample.numbers]).to.deep.equal([7, 0, 1, 0, 0]);
        expect([...sample.integers]).to.deep.equal([9007199254740993n]);
        expect(sample.objects[0]).to.equal('text');
        expect([...(sample.objects[1] as Uint8Array)]).to.deep.equal([1, 2, 255]);
        expect([...sample.faults]).to.deep.equal([
          ...[1, ErrorCode.NO_RESPONSE],
          ...[6, ErrorCode.TYPE_MISMATCH],
          ...[7, ErrorCode.VALUE_EXPIRED],
        ]);
      });

      it('keeps polling when a poll throws, and says so in every tag of that poll', async () => {
        await using line = await openLine(form, 'recorder');
        await line.start(1);
        line.send({ op: 'group', node: 1, config: group(1, 100, [tag('a', 'gone'), tag('b', '1')]) });
        line.send({ op: 'group', node: 1, config: group(2, 100, [tag('a', 'bug')]) });
        line.send({ op: 'group', node: 1, config: group(3, 100, [tag('a', 'short')]) });
        const of = (id: number) => (message: Parameters<typeof isSample>[0]) =>
          isSample(message) && message.sample.group === id;
        const faults = async (id: number): Promise<number[]> => {
          const message = await line.next(of(id));
          return isSample(message) ? [...message.sample.faults] : [];
        };
        expect(await faults(1)).to.deep.equal([0, ErrorCode.DISCONNECTED, 1, ErrorCode.DISCONNECTED]);
        expect(await faults(2)).to.deep.equal([0, ErrorCode.READ_FAILED]);
        expect(await faults(3)).to.deep.equal([0, ErrorCode.READ_FAILED]);
        const sofar = line.received.length;
        await line.next(of(1), sofar);
        await line.next(of(2), sofar);
      });

      it('never makes two calls at once, and drops and counts the ticks that it cannot keep', async () => {
        await using line = await openLine(form, 'recorder');
        await line.start(1, { slow: 150 });
        line.send({ op: 'group', node: 1, config: group(1, 100, [tag('a', 'most')]) });
        line.send({ op: 'group', node: 1, config: group(2, 100, [tag('a', 'most')]) });
        await Promise.all([
          line.ask({ op: 'poll', node: 1, group: 1 }),
          line.ask({ op: 'write', node: 1, writes: [{ tag: tag('w', 'written'), value: 1 }] }),
          line.ask({ op: 'poll', node: 1, group: 2 }),
        ]);
        await line.next(
          (message) => message.op === 'meters' && message.meters.some(([name]) => name === 'missed_ticks'),
        );
        const most = line.received.filter(isSample).map(({ sample }) => sample.numbers[0]);
        expect(Math.max(...most.map(Number))).to.equal(1);
      });

      it('writes what it is told and returns the faults by index', async () => {
        await using line = await openLine(form, 'recorder');
        await line.start(1);
        const writes = [
          { tag: tag('w', 'written', { type: DataType.UINT64 }), value: 2n ** 64n - 1n },
          { tag: tag('x', 'elsewhere'), value: 1 },
        ];
        const failed = (await line.ask({ op: 'write', node: 1, writes })) as [number, { code: number }][];
        expect(failed.map(([index, { code }]) => [index, code])).to.deep.equal([[1, ErrorCode.WRITE_FAILED]]);
        line.send({
          op: 'group',
          node: 1,
          config: group(1, 100, [tag('w', 'written', { type: DataType.UINT64 })]),
        });
        const { sample } = await line.next(isSample);
        expect(BigInt.asUintN(64, sample.integers[0] ?? 0n)).to.equal(2n ** 64n - 1n);
      });

      it('scales numbers of every width and fills in static values', async () => {
        await using line = await openLine(form, 'recorder');
        await line.start(1);
        const tags = [
          tag('a', '120', { decimal: 0.1, bias: -2 }),
          tag('b', '1000!', { type: DataType.INT64, decimal: 0.5 }),
          tag('s', '', { attribute: 8, type: DataType.INT64, value: 5 }),
          tag('t', '', { attribute: 8, type: DataType.STRING, value: 'fixed' }),
          tag('c', '"x', { type: DataType.STRING, decimal: 3 }),
        ];
        line.send({ op: 'group', node: 1, config: group(1, 100, tags) });
        const { sample } = await line.next(isSample);
        expect([...sample.numbers]).to.deep.equal([10, 500]);
        expect([...sample.integers]).to.deep.equal([5n]);
        expect(sample.objects).to.deep.equal(['fixed', 'x']);
        expect(sample.faults).to.have.length(0);
      });

      it('tests a read without a tag, raw', async () => {
        await using line = await openLine(form, 'recorder');
        await line.start(1);
        expect(await line.ask({ op: 'test', node: 1, tag: tag('t', 'raw') })).to.equal(1);
        const failed = await line
          .ask({ op: 'test', node: 1, tag: tag('t', 'fault 3015') })
          .catch((error: unknown) => error);
        expect(failed).to.have.property('code', ErrorCode.NO_RESPONSE);
      });

      it('tries a failed start again, with its tags disconnected meanwhile', async () => {
        await using line = await openLine(form, 'recorder');
        const started = line.start(1, { start: 'fail-once' });
        line.send({ op: 'group', node: 1, config: group(1, 100, [tag('a', '1')]) });
        expect(await started).to.equal(false);
        const first = await line.next(isSample);
        expect([...first.sample.faults]).to.deep.equal([0, ErrorCode.DISCONNECTED]);
        await line.next((message) => isSample(message) && message.sample.faults.length === 0);
      });

      it('does not try again when the plugin refuses for good', async () => {
        await using line = await openLine(form, 'recorder');
        const failed = await line.start(1, { start: 'refuse' }).catch((error: unknown) => error);
        expect(failed).to.have.property('code', ErrorCode.NODE_SETTING_INVALID);
        expect(await line.next((message) => message.op === 'refused')).to.have.nested.property(
          'fault.retry',
          false,
        );
      });

      it('stops once, and starts anew with new settings', async () => {
        await using line = await openLine(form, 'recorder');
        await line.start(1);
        await line.start(1, { slow: 5 });
        await line.ask({ op: 'stop', node: 1 });
        const stops = line.received.filter(isLog('stopped'));
        expect(stops.map(({ message }) => message)).to.deep.equal(['stopped 1 of 1', 'stopped 1 of 1']);
      });

      it('stops within its grace although a read hangs', async () => {
        await using line = await openLine(form, 'recorder');
        await line.start(1, { hang: true });
        line.send({ op: 'group', node: 1, config: group(1, 100, [tag('a', '1')]) });
        await line.ask({ op: 'stop', node: 1 });
        await line.next(isLog('stopped 1 of 1'));
      });

      it('keeps two nodes apart', async () => {
        await using line = await openLine(form, 'recorder');
        await line.start(1, { hang: true });
        await line.start(2);
        line.send({ op: 'group', node: 1, config: group(1, 100, [tag('a', '1')]) });
        line.send({ op: 'group', node: 2, config: group(2, 100, [tag('a', '2')]) });
        const { sample } = await line.next(isSample);
        expect(sample.group).to.equal(2);
      });

      it('reports a watched group on its interval without polling it', async () => {
        await using line = await openLine(form, 'pusher');
        await line.start(1);
        line.send({ op: 'group', node: 1, config: group(1, 100, [tag('a', 'x')]) });
        const { sample } = await line
          .next((message) => isSample(message) && message.sample.faults.length === 0)
          .then((message) => {
            if (!isSample(message)) throw new Error('not a sample');
            return message;
          });
        expect([...sample.numbers]).to.deep.equal([1]);
      });

      it('polls of a watched group what its driver leaves to polling, and all of it until everything was pushed once', async () => {
        await using line = await openLine(form, 'pusher');
        await line.start(1);
        const tags = [tag('a', 'x'), tag('b', 'polled'), tag('c', 'late')];
        line.send({ op: 'group', node: 1, config: group(1, 100, tags) });
        const isWith = (...numbers: number[]) => {
          return (message: FromRunner): message is Extract<FromRunner, { op: 'sample' }> =>
            isSample(message) && message.sample.numbers.join() === numbers.join();
        };
        const before = await line.next(isWith(0, 2, 3));
        expect([...before.sample.faults], 'the read of the pushed one failed').to.deep.equal([0, 3000]);
        const after = await line.next(isWith(1, 2, 1));
        expect([...after.sample.faults]).to.deep.equal([]);
      });

      it('scans, and says so when its driver cannot', async () => {
        await using line = await openLine(form, 'pusher');
        await line.start(1);
        const scan = { id: 'top', ctx: '!', loadIndex: 4 };
        const page = await line.ask({ op: 'scan', node: 1, scan });
        expect(page).to.deep.include({ total: 1, ctx: 'next', loadIndex: 5, completed: true });
        expect(page).to.have.nested.property('tags[0].name', 'top!');
        await using other = await openLine(form, 'recorder');
        await other.start(1);
        const refusal = await other.ask({ op: 'scan', node: 1, scan }).catch((error: unknown) => error);
        expect(refusal).to.include({ code: 3021 });
      });
    });

    describe('an app node', () => {
      it('gets its routes with their layouts, then samples', async () => {
        await using line = await openLine(form, 'collector');
        await line.start(1);
        const { layout, group: id } = group(7, 100, [tag('a', '')]);
        line.send({ op: 'routes', node: 1, routes: [{ group: id, params: { topic: 't' } }] });
        line.send({ op: 'layout', group: id, layout });
        const sample = {
          ...{ group: id, version: layout.version, time: 1, numbers: Float64Array.of(42) },
          ...{ integers: new BigInt64Array(0), objects: [], faults: new Int32Array(0) },
        };
        line.send({ op: 'sample', sample: { ...sample, version: layout.version - 1, time: 0 } });
        line.send({ op: 'sample', sample });
        const taken = await line.next(isLog('sample'));
        expect(taken.fields).to.deep.equal({ numbers: '42', columns: 1, time: 1 });
        expect(line.received.filter(isLog('routes')).at(-1)?.fields).to.deep.equal({ groups: '7:t' });
      });

      it('reads and writes through the host', async () => {
        await using line = await openLine(form, 'collector');
        await line.start(1);
        const { layout, group: id } = group(99, 100, [tag('a', '')]);
        line.send({ op: 'layout', group: id, layout });
        line.send({ op: 'routes', node: 1, routes: [{ group: id, params: undefined }] });
        const sample = {
          ...{ group: id, version: layout.version, time: 1, numbers: Float64Array.of(1) },
          ...{ integers: new BigInt64Array(0), objects: [], faults: new Int32Array(0) },
        };
        line.send({ op: 'sample', sample });
        const isRequest = (message: Parameters<typeof isSample>[0]) => message.op === 'request';
        const read = await line.next(isRequest);
        if (read.op !== 'request') throw new Error('not a request');
        expect(read.request).to.deep.equal({ op: 'read', node: 'plant', group: 'fast', sync: true });
        const sofar = line.received.length;
        line.send({ op: 'answer', id: read.id, value: { layout, sample } });
        const write = await line.next(isRequest, sofar);
        if (write.op !== 'request') throw new Error('not a request');
        expect(write.request).to.deep.equal({
          op: 'write',
          node: 'plant',
          group: 'fast',
          tags: [{ tag: 'a', value: 2n ** 60n }],
        });
        line.send({ op: 'answer', id: write.id, value: undefined });
        expect((await line.next(isLog('read'))).fields).to.deep.equal({ first: 1 });
      });
    });

    it('checks tags, settings and parameters without a node', async () => {
      await using line = await openLine(form, 'recorder');
      const codes = await line.ask({ op: 'checkTags', tags: [tag('a', '1'), tag('b', 'bad')] });
      expect(codes).to.deep.equal([0, ErrorCode.TAG_ADDRESS_INVALID]);
      const refused = await line
        .ask({ op: 'checkSettings', settings: { slow: -1 } })
        .catch((error: unknown) => error);
      expect(refused).to.include({
        code: ErrorCode.NODE_SETTING_INVALID,
        message: 'slow must not be negative.',
      });
      await using app = await openLine(form, 'collector');
      const params = await app
        .ask({ op: 'checkParams', params: { topic: '' } })
        .catch((error: unknown) => error);
      expect(params).to.have.property('code', ErrorCode.GROUP_PARAM_INVALID);
    });

    it('says why a module is not a plugin', async () => {
      await using line = await openLine(form, 'not-a-plugin');
      expect(line.received[0]).to.have.property('op', 'unloadable');
    });
  });
}
