import { expect } from 'chai';
import { Attribute, DataType, ErrorCode, LinkState, RunningState } from '@tagway/schemas';
import type { Form } from '@tagway/sdk/harness';
import type { FromRunner } from '@tagway/sdk/internal';
import { group, isLog, isSample, openLine, refusalOf, tag } from './harness.ts';

for (const form of ['inline', 'forked'] as readonly Form[]) {
  describe(`runner, ${form}`, function () {
    this.timeout(20_000);

    describe('a driver node', () => {
      it('polls a group into columns, with a fault in its place', async () => {
        await using runner = await openLine(form, 'recorder');
        expect(await runner.start(1)).to.equal(true);
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
        runner.send({ op: 'group', node: 1, config: group(5, 100, tags) });
        const { sample } = await runner.next(isSample);
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
        await using runner = await openLine(form, 'recorder');
        await runner.start(1);
        runner.send({ op: 'group', node: 1, config: group(1, 100, [tag('a', 'gone'), tag('b', '1')]) });
        runner.send({ op: 'group', node: 1, config: group(2, 100, [tag('a', 'bug')]) });
        runner.send({ op: 'group', node: 1, config: group(3, 100, [tag('a', 'nothing')]) });
        const of = (id: number) => (message: Parameters<typeof isSample>[0]) =>
          isSample(message) && message.sample.group === id;
        const faults = async (id: number): Promise<number[]> => {
          const message = await runner.next(of(id));
          return isSample(message) ? [...message.sample.faults] : [];
        };
        expect(await faults(1)).to.deep.equal([0, ErrorCode.DISCONNECTED, 1, ErrorCode.DISCONNECTED]);
        expect(await faults(2)).to.deep.equal([0, ErrorCode.READ_FAILED]);
        expect(await faults(3)).to.deep.equal([0, ErrorCode.READ_FAILED]);
        const sofar = runner.received.length;
        await runner.next(of(1), sofar);
        await runner.next(of(2), sofar);
      });

      it('never makes two calls at once of a driver with calls: one, and drops and counts the ticks that it cannot keep', async () => {
        await using runner = await openLine(form, 'recorder');
        await runner.start(1, { slow: 150 });
        runner.send({ op: 'group', node: 1, config: group(1, 100, [tag('a', 'most')]) });
        runner.send({ op: 'group', node: 1, config: group(2, 100, [tag('a', 'most')]) });
        await Promise.all([
          runner.ask({ op: 'poll', node: 1, group: 1 }),
          runner.ask({ op: 'write', node: 1, writes: [{ tag: tag('w', 'written'), value: 1 }] }),
          runner.ask({ op: 'poll', node: 1, group: 2 }),
        ]);
        await runner.next(
          (message) => message.op === 'meters' && message.names.some(({ name }) => name === 'missed_ticks'),
        );
        const most = runner.received.filter(isSample).map(({ sample }) => sample.numbers[0]);
        expect(Math.max(...most.map(Number))).to.equal(1);
      });

      it('writes the given values and returns the faults by index', async () => {
        await using runner = await openLine(form, 'recorder');
        await runner.start(1);
        const writes = [
          { tag: tag('w', 'written', { type: DataType.UINT64 }), value: 2n ** 64n - 1n },
          { tag: tag('x', 'elsewhere'), value: 1 },
        ];
        const failed = (await runner.ask({ op: 'write', node: 1, writes })) as [number, { code: number }][];
        expect(failed.map(([index, { code }]) => [index, code])).to.deep.equal([[1, ErrorCode.WRITE_FAILED]]);
        runner.send({
          op: 'group',
          node: 1,
          config: group(1, 100, [tag('w', 'written', { type: DataType.UINT64 })]),
        });
        const { sample } = await runner.next(isSample);
        expect(BigInt.asUintN(64, sample.integers[0] ?? 0n)).to.equal(2n ** 64n - 1n);
      });

      it('scales numbers of every width and fills in static values', async () => {
        await using runner = await openLine(form, 'recorder');
        await runner.start(1);
        const tags = [
          tag('a', '120', { decimal: 0.1, bias: -2 }),
          tag('b', '1000!', { type: DataType.INT64, decimal: 0.5 }),
          tag('s', '', { attribute: Attribute.STATIC, type: DataType.INT64, value: 5 }),
          tag('t', '', { attribute: Attribute.STATIC, type: DataType.STRING, value: 'fixed' }),
          tag('c', '"x', { type: DataType.STRING, decimal: 3 }),
        ];
        runner.send({ op: 'group', node: 1, config: group(1, 100, tags) });
        const { sample } = await runner.next(isSample);
        expect([...sample.numbers]).to.deep.equal([10, 500]);
        expect([...sample.integers]).to.deep.equal([5n]);
        expect(sample.objects).to.deep.equal(['fixed', 'x']);
        expect(sample.faults).to.have.length(0);
      });

      it('tests a read without a tag', async () => {
        await using runner = await openLine(form, 'recorder');
        await runner.start(1);
        expect(await runner.ask({ op: 'test', node: 1, tag: tag('t', '7') })).to.equal(7);
        const wide = tag('t', '7!', { type: DataType.INT64 });
        expect(await runner.ask({ op: 'test', node: 1, tag: wide })).to.equal(7n);
        const test = tag('t', `fault ${ErrorCode.NO_RESPONSE}`);
        const failed = await refusalOf(runner.ask({ op: 'test', node: 1, tag: test }));
        expect(failed).to.have.property('code', ErrorCode.NO_RESPONSE);
      });

      it('tries a failed start again, with its tags disconnected meanwhile, and its stack at debug', async () => {
        await using runner = await openLine(form, 'recorder');
        const started = runner.start(1, { start: 'fail-once' });
        runner.send({ op: 'group', node: 1, config: group(1, 100, [tag('a', '1')]) });
        const failed = await started.catch((error: unknown) => error);
        expect(failed).to.include({ message: 'Not yet.', retry: true });
        const trace = await runner.next((message) => message.op === 'log' && message.level === 'debug');
        expect(trace)
          .to.have.property('message')
          .that.matches(/^The start failed here: .*Not yet\.\n +at .*recorder\.ts/s);
        const first = await runner.next(isSample);
        expect([...first.sample.faults]).to.deep.equal([0, ErrorCode.DISCONNECTED]);
        await runner.next((message) => isSample(message) && message.sample.faults.length === 0);
        await runner.next((message) => message.op === 'started' && message.node === 1);
      });

      it('does not try again when the plugin refuses for good', async () => {
        await using runner = await openLine(form, 'recorder');
        const failed = await runner.start(1, { start: 'refuse' }).catch((error: unknown) => error);
        expect(failed).to.have.property('code', ErrorCode.NODE_SETTING_INVALID);
        expect(await runner.next((message) => message.op === 'refused')).to.have.nested.property(
          'fault.retry',
          false,
        );
      });

      it('stops once, and starts anew with new settings', async () => {
        await using runner = await openLine(form, 'recorder');
        await runner.start(1);
        await runner.start(1, { slow: 5 });
        await runner.ask({ op: 'stop', node: 1 });
        const stops = runner.received.filter(isLog('stopped'));
        expect(stops.map(({ message }) => message)).to.deep.equal(['stopped 1 of 1', 'stopped 1 of 1']);
      });

      it('says in sentences why it does not run and what comes of it, whatever the plugin says', async () => {
        await using runner = await openLine(form, 'recorder');
        await refusalOf(runner.start(1, { start: 'throw' }));
        const { message } = await runner.next(isLog('The node does not run: '));
        expect(message).to.match(
          /^The node does not run: Error: start is broken\. It is started again in \d+ s\.$/,
        );
      });

      it('says when a run begins, after all that the run before it has sent', async () => {
        await using runner = await openLine(form, 'recorder');
        await runner.start(1);
        runner.send({ op: 'group', node: 1, config: group(1, 100, [tag('a', '1')]) });
        await runner.next(isSample);
        await runner.start(1);
        const ops = runner.received.map(({ op }) => op);
        expect(ops.filter((op) => op === 'begun')).to.have.length(2);
        const begun = ops.lastIndexOf('begun');
        expect(ops.lastIndexOf('sample')).to.be.lessThan(begun);
        expect(runner.received.findIndex(isLog('stopped'))).to.be.lessThan(begun);
      });

      it('stops within its grace although a read hangs', async () => {
        await using runner = await openLine(form, 'recorder');
        await runner.start(1, { hang: true });
        runner.send({ op: 'group', node: 1, config: group(1, 100, [tag('a', '1')]) });
        await runner.ask({ op: 'stop', node: 1 });
        await runner.next(isLog('stopped 1 of 1'));
      });

      it('keeps two nodes apart', async () => {
        await using runner = await openLine(form, 'recorder');
        await runner.start(1, { hang: true });
        await runner.start(2);
        runner.send({ op: 'group', node: 1, config: group(1, 100, [tag('a', '1')]) });
        runner.send({ op: 'group', node: 2, config: group(2, 100, [tag('a', '2')]) });
        const { sample } = await runner.next(isSample);
        expect(sample.group).to.equal(2);
      });

      it('reports a watched group on its interval without polling it', async () => {
        await using runner = await openLine(form, 'pusher');
        await runner.start(1);
        runner.send({ op: 'group', node: 1, config: group(1, 100, [tag('a', 'x')]) });
        const { sample } = await runner
          .next((message) => isSample(message) && message.sample.faults.length === 0)
          .then((message) => {
            if (!isSample(message)) throw new Error('not a sample');
            return message;
          });
        expect([...sample.numbers]).to.deep.equal([1]);
      });

      it('polls of a watched group what its driver leaves to polling; what was not pushed yet is not ready', async () => {
        await using runner = await openLine(form, 'pusher');
        await runner.start(1);
        const tags = [tag('a', 'x'), tag('b', 'polled'), tag('c', 'late')];
        runner.send({ op: 'group', node: 1, config: group(1, 100, tags) });
        const isWith = (...numbers: number[]) => {
          return (message: FromRunner): message is Extract<FromRunner, { op: 'sample' }> =>
            isSample(message) && message.sample.numbers.join() === numbers.join();
        };
        const before = await runner.next(isWith(1, 2, 0));
        expect([...before.sample.faults]).to.deep.equal([2, ErrorCode.NOT_READY]);
        const after = await runner.next(isWith(1, 2, 1));
        expect([...after.sample.faults]).to.deep.equal([]);
      });

      it('browses, and says so when its driver cannot', async () => {
        await using runner = await openLine(form, 'pusher');
        await runner.start(1);
        const browse = { id: 'top', cursor: '!' };
        const page = await runner.ask({ op: 'browse', node: 1, browse });
        expect(page).to.deep.include({ total: 1, cursor: 'next' });
        expect(page).to.have.nested.property('entries[0].name', 'top!');
        await using other = await openLine(form, 'recorder');
        await other.start(1);
        const refusal = await refusalOf(other.ask({ op: 'browse', node: 1, browse }));
        expect(refusal).to.have.property('code', ErrorCode.SCAN_UNSUPPORTED);
      });
    });

    describe('an app node', () => {
      const sampleOf = (id: number, version: number, timestamp = 1) => ({
        group: id,
        version,
        timestamp,
        numbers: Float64Array.of(42),
        integers: new BigInt64Array(0),
        objects: [],
        faults: new Int32Array(0),
      });

      it('gets its subscriptions with their layouts, the states of its drivers, then samples', async () => {
        await using runner = await openLine(form, 'collector');
        const { layout, group: id } = group(7, 100, [tag('a', '')]);
        await runner.start(
          1,
          {},
          {
            subscriptions: [{ id: 1, group: id, params: { topic: 't' } }],
            layouts: [{ group: id, layout }],
            drivers: [{ driver: 'plant', running: RunningState.RUNNING, link: LinkState.CONNECTED }],
          },
        );
        runner.send({ op: 'sample', sample: sampleOf(id, layout.version) });
        await runner.next(isLog('sample'));
        const said = runner.received.filter((message) => message.op === 'log');
        expect(said.map(({ message, fields }) => ({ message, fields }))).to.deep.equal([
          { message: 'subscriptions', fields: { groups: 'group 7:t' } },
          { message: 'drivers', fields: { links: `plant:${LinkState.CONNECTED}` } },
          { message: 'sample', fields: { numbers: '42', columns: 1, subscribed: 1, timestamp: 1 } },
        ]);
      });

      it('gets late samples with the layout that they were made with', async () => {
        await using runner = await openLine(form, 'collector');
        const old = group(7, 100, [tag('a', '')]).layout;
        const { layout } = group(7, 100, [tag('a', ''), tag('b', '')]);
        const subscriptions = [{ id: 1, group: 7, params: undefined }];
        await runner.start(1, {}, { subscriptions, layouts: [{ group: 7, layout }], drivers: [] });
        runner.send({ op: 'sample', sample: sampleOf(7, old.version), layout: old });
        const { fields } = await runner.next(isLog('sample'));
        expect(fields).to.deep.include({ columns: 1, subscribed: 2 });
      });

      it('reads and writes through the host', async () => {
        await using runner = await openLine(form, 'collector');
        const { layout, group: id } = group(99, 100, [tag('a', '')]);
        const subscriptions = [{ id: 1, group: id, params: undefined }];
        await runner.start(1, {}, { subscriptions, layouts: [{ group: id, layout }], drivers: [] });
        const { version: _version, group: _group, ...sample } = sampleOf(id, layout.version);
        runner.send({ op: 'sample', sample: sampleOf(id, layout.version) });
        const isRequest = (message: FromRunner) => message.op === 'request';
        const read = await runner.next(isRequest);
        if (read.op !== 'request') throw new Error('not a request');
        expect(read.request).to.deep.equal({
          op: 'read',
          node: 1,
          driver: 'plant',
          group: 'fast',
          sync: true,
        });
        const sofar = runner.received.length;
        runner.send({ op: 'answer', id: read.id, value: { ...sample, layout } });
        const write = await runner.next(isRequest, sofar);
        if (write.op !== 'request') throw new Error('not a request');
        expect(write.request).to.deep.equal({
          op: 'write',
          node: 1,
          writes: [
            { driver: 'plant', group: 'fast', tag: 'a', value: 2n ** 60n },
            { driver: 'plant', group: 'fast', tag: 'b', value: true },
          ],
          request: false,
        });
        const fault = { code: ErrorCode.WRITE_FAILED, message: 'no', retry: true };
        runner.send({ op: 'answer', id: write.id, value: [[0, fault]] });
        expect((await runner.next(isLog('read'))).fields).to.deep.equal({
          first: 42,
          fault: ErrorCode.WRITE_FAILED,
          others: 1,
        });
      });
    });

    it('checks tags, settings and parameters without a node', async () => {
      await using runner = await openLine(form, 'recorder');
      const tags = [tag('a', '1'), tag('b', 'bad')];
      const refusal = {
        code: ErrorCode.TAG_ADDRESS_INVALID,
        message: 'There is no address "bad".',
        retry: true,
      };
      expect(await runner.ask({ op: 'checkTags', tags })).to.deep.equal([undefined, refusal]);
      const bySettings = (await runner.ask({ op: 'checkTags', tags, settings: { slow: 2000 } })) as unknown[];
      expect(bySettings.map((fault) => fault !== undefined)).to.deep.equal([true, true]);
      const refused = await refusalOf(runner.ask({ op: 'checkSettings', settings: { slow: -1 } }));
      expect(refused).to.include({
        code: ErrorCode.NODE_SETTING_INVALID,
        message: 'slow must not be negative.',
      });
      await using app = await openLine(form, 'collector');
      const subscription = { driver: 'plant', group: 'fast', params: { topic: '' } };
      const params = await refusalOf(app.ask({ op: 'checkSubscription', ...subscription }));
      expect(params).to.have.property('code', ErrorCode.GROUP_PARAM_INVALID);
    });

    it('says why a module is not a plugin', async () => {
      await using runner = await openLine(form, 'not-a-plugin');
      expect(runner.received[0]).to.have.property('op', 'unloadable');
    });
  });
}
