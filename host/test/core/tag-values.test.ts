import { Attribute, DataType, ErrorCode, NodeCommand } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { expect } from 'chai';
import { Bench, codeOf, tag } from './harness.ts';

const { READ, WRITE, STATIC } = Attribute;

describe('reading and writing', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await Bench.open();
    for (const [name, plugin] of [
      ['a', 'Probe'],
      ['one', 'Slow'],
    ] as const) {
      await bench.gateway.nodes.add({ name, plugin, params: { port: 1 } });
      await bench.gateway.tags.add(name, 'g', [
        tag('rw'),
        tag('scaled', { decimal: 0.1 }),
        tag('ro', { attribute: READ }),
        tag('text', { type: DataType.STRING }),
        tag('static', { attribute: STATIC | WRITE, value: 5 }),
        tag('fixed', { attribute: STATIC | READ, value: 5 }),
      ]);
    }
    await bench.gateway.nodes.add({ name: 'up', plugin: 'Uplink' });
    bench.runtime.take();
  });

  afterEach(() => bench[Symbol.asyncDispose]());

  const write = (tag: string, value: number | string | boolean, node = 'a', group = 'g'): Promise<number> =>
    codeOf(bench.gateway.values.write(node, group, [{ tag, value }], false));
  const writeMany = (values: Record<string, number | string>, node = 'a', group = 'g'): Promise<number> =>
    codeOf(
      bench.gateway.values.write(
        node,
        group,
        Object.entries(values).map(([tag, value]) => ({ tag, value })),
        true,
      ),
    );

  it('a write is refused in the order lengths, node, app, state, group, tag, WRITE, value', async () => {
    const long = 'x'.repeat(128);
    expect(await write('none', long, 'none')).to.equal(ErrorCode.STRING_TOO_LONG);
    expect(await write(long, 1, 'none')).to.equal(ErrorCode.TAG_NAME_TOO_LONG);
    expect(await write('none', 1, 'none')).to.equal(ErrorCode.NODE_NOT_FOUND);
    expect(await write('none', 1, 'up', 'none')).to.equal(ErrorCode.GROUP_NOT_ALLOWED);
    expect(await write('none', 1, 'a', 'none')).to.equal(ErrorCode.GROUP_NOT_FOUND);
    expect(await write('none', 1)).to.equal(ErrorCode.TAG_NOT_FOUND);
    expect(await write('ro', 'wrong')).to.equal(ErrorCode.TAG_NOT_WRITABLE);
    expect(await write('rw', 'wrong')).to.equal(ErrorCode.TYPE_MISMATCH);
    expect(await write('rw', 40000)).to.equal(ErrorCode.VALUE_OUT_OF_RANGE);
    await bench.gateway.nodes.control('a', NodeCommand.STOP);
    expect(await write('none', 1, 'a', 'none')).to.equal(ErrorCode.NOT_RUNNING);
    expect(bench.runtime.written).to.deep.equal([]);
  });

  it('a write reaches the device scaled back, and fails with the fault of the device', async () => {
    expect(await write('scaled', 1.2)).to.equal(0);
    expect(bench.runtime.written).to.deep.equal([{ tag: 'scaled', value: 12 }]);
    bench.runtime.writeFault = () => new Fault(ErrorCode.DISCONNECTED);
    expect(await write('rw', 1)).to.equal(ErrorCode.DISCONNECTED);
  });

  it('a write of several tags is done whole or not at all', async () => {
    expect(await writeMany({ rw: 1, text: 'x' }, 'one')).to.equal(ErrorCode.WRITE_TAGS_UNSUPPORTED);
    expect(await writeMany({ rw: 1 }, 'a', 'none')).to.equal(ErrorCode.GROUP_NOT_FOUND);
    for (const name of ['none', 'ro', 'static', 'fixed']) {
      expect(await writeMany({ rw: 'wrong', [name]: 1 })).to.equal(ErrorCode.TAG_NOT_FOUND);
    }
    expect(await writeMany({ rw: 1, text: 2, scaled: 1e9 })).to.equal(ErrorCode.TYPE_MISMATCH);
    expect(await writeMany({ rw: 1, scaled: 1e9, text: 2 })).to.equal(ErrorCode.VALUE_OUT_OF_RANGE);
    expect(await writeMany({})).to.equal(ErrorCode.BODY_INVALID);
    expect(bench.runtime.written).to.deep.equal([]);
    expect(await writeMany({ rw: 1, text: 'x' })).to.equal(0);
    expect(bench.runtime.written).to.deep.equal([
      { tag: 'rw', value: 1 },
      { tag: 'text', value: 'x' },
    ]);
    bench.runtime.writeFault = ({ name }) => (name === 'text' ? new Fault(10_005) : undefined);
    expect(await writeMany({ rw: 1, text: 'x' })).to.equal(10_005);
  });

  it('an app that writes one tag meets the rules of one, with several the rules of several', async () => {
    await bench.runtime.events.write('one', 'g', [{ tag: 'rw', value: 1 }]);
    const two = [
      { tag: 'rw', value: 1 },
      { tag: 'text', value: 'x' },
    ];
    expect(await codeOf(bench.runtime.events.write('one', 'g', two))).to.equal(
      ErrorCode.WRITE_TAGS_UNSUPPORTED,
    );
  });

  it('a write of a static tag is stored and reaches no device', async () => {
    expect(await write('fixed', 1)).to.equal(ErrorCode.TAG_NOT_WRITABLE);
    expect(await write('static', 'x')).to.equal(ErrorCode.TYPE_MISMATCH);
    expect(await write('static', 7)).to.equal(0);
    expect(bench.runtime.written).to.deep.equal([]);
    expect(bench.runtime.take()).to.deep.equal(['changed a/g']);
    await bench.restart();
    expect(bench.gateway.tags.list('a', 'g', 'static')[0]?.value).to.equal(7);
    await bench.gateway.nodes.control('a', NodeCommand.STOP);
    expect(await write('static', 8)).to.equal(ErrorCode.NOT_RUNNING);
  });

  it('two writes of one static tag at the same time both succeed, the later one last', async () => {
    expect(await Promise.all([write('static', 1), write('static', 2)])).to.deep.equal([0, 0]);
    expect(bench.gateway.tags.list('a', 'g', 'static')[0]?.value).to.equal(2);
  });

  it('a read polls the device when it is synchronous and the node runs', async () => {
    const read = (node: string, group: string, sync: boolean): Promise<number> =>
      codeOf(bench.gateway.values.read(node, group, sync));
    expect(await read('none', 'g', false)).to.equal(ErrorCode.NODE_NOT_FOUND);
    expect(await read('up', 'g', false)).to.equal(ErrorCode.GROUP_NOT_ALLOWED);
    expect(await read('a', 'none', true)).to.equal(ErrorCode.GROUP_NOT_FOUND);
    await read('a', 'g', false);
    expect(bench.runtime.take()).to.deep.equal([]);
    await read('a', 'g', true);
    expect(bench.runtime.take()).to.deep.equal(['poll a/g']);
    await bench.gateway.nodes.control('a', NodeCommand.STOP);
    bench.runtime.take();
    expect(await read('a', 'g', true)).to.equal(0);
    expect(bench.runtime.take()).to.deep.equal([]);
  });

  it('a read of a group that is deleted while it is polled finds no group', async () => {
    bench.runtime.poll = () => bench.gateway.groups.delete('a', 'g');
    expect(await codeOf(bench.gateway.values.read('a', 'g', true))).to.equal(ErrorCode.GROUP_NOT_FOUND);
  });

  it('a scan asks the driver of a node that runs, if it can scan', async () => {
    const scan = (node: string): Promise<number> =>
      codeOf(bench.gateway.values.scan(node, { id: '1!x', ctx: '', loadIndex: 0 }));
    expect(await scan('none')).to.equal(ErrorCode.NODE_NOT_FOUND);
    expect(await scan('up')).to.equal(ErrorCode.GROUP_NOT_ALLOWED);
    expect(await scan('one')).to.equal(ErrorCode.SCAN_UNSUPPORTED);
    expect(await scan('a')).to.equal(0);
    expect(bench.runtime.take()).to.deep.equal(['scan a 1!x']);
    await bench.gateway.nodes.control('a', NodeCommand.STOP);
    expect(await scan('a')).to.equal(ErrorCode.NOT_RUNNING);
  });
});

describe('a test read', () => {
  it('asks for what a tag would have, by the rules of tags', async () => {
    await using bench = await Bench.open();
    await bench.gateway.nodes.add({ name: 'n', plugin: 'Probe', params: { port: 1 } });
    await bench.gateway.nodes.add({ name: 'off', plugin: 'Probe' });
    const { name, address, type, attribute } = tag('a');
    const draft = { name, address, type, attribute };
    bench.runtime.test = async (_node, asked) => (asked.address === 'odd' ? NaN : 7);
    expect(await bench.gateway.values.test('n', 'none', draft)).to.equal(7);
    const test = (more: object, node = 'n'): Promise<number> =>
      codeOf(bench.gateway.values.test(node, 'none', { ...draft, ...more }));
    expect(await test({}, 'off')).to.equal(ErrorCode.NOT_RUNNING);
    expect(await test({ name: 'x'.repeat(128) }, 'absent')).to.equal(ErrorCode.TAG_NAME_TOO_LONG);
    expect(await test({ attribute: Attribute.STATIC })).to.equal(ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED);
    expect(await test({ attribute: 64 })).to.equal(ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED);
    expect(await test({ address: 'odd' })).to.equal(ErrorCode.VALUE_EXPIRED);
    bench.runtime.checkTag = () => ErrorCode.TAG_ADDRESS_INVALID;
    expect(await test({})).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
  });
});
