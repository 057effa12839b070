import { Attribute, DataType, ErrorCode, NodeCommand } from '@tagway/schemas';
import { Fault, isFault, type JsonValue } from '@tagway/sdk';
import { expect } from 'chai';
import type { Node } from '../../src/core/model.ts';
import { Bench, codeOf, tag } from './harness.ts';

const { READ, WRITE, STATIC } = Attribute;

describe('reading and writing', () => {
  let bench: Bench;
  let app: Node;

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
        tag('bit', { type: DataType.BIT }),
        tag('bool', { type: DataType.BOOL }),
        tag('static', { attribute: STATIC | WRITE, value: 5 }),
        tag('fixed', { attribute: STATIC | READ, value: 5 }),
      ]);
    }
    await bench.gateway.nodes.add({ name: 'up', plugin: 'Uplink' });
    app = bench.gateway.nodes.get('up');
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

  it('a write that fails says in its sentence which tag it was, of what type and where in the request', async () => {
    const { values } = bench.gateway;
    const reasonOf = async (work: Promise<void>): Promise<string> => {
      const fault: unknown = await work.catch((error: unknown) => error);
      return isFault(fault) ? fault.message : 'it was done';
    };
    const type = 'is not a value for a tag of type INT16.';
    expect(await reasonOf(values.write('a', 'g', [{ tag: 'rw', value: 'x' }], false))).to.equal(
      `The tag "rw" of type INT16: "x" ${type}`,
    );
    const tags = [
      { tag: 'text', value: 'x' },
      { tag: 'rw', value: 1.5 },
    ];
    expect(await reasonOf(values.write('a', 'g', tags, true))).to.equal(
      `The tag "rw" (tags[1]) of type INT16: 1.5 ${type}`,
    );
    expect(await reasonOf(values.writeGroups('a', [{ group: 'g', tags }]))).to.equal(
      `The tag "rw" (groups[0].tags[1]) of type INT16: 1.5 ${type}`,
    );
    const long = [{ tag: 'text', value: 'x'.repeat(128) }];
    expect(await reasonOf(values.write('a', 'g', long, false))).to.match(
      /^The tag "text": A text .* 127 bytes/,
    );
    expect(await reasonOf(values.write('a', 'g', [{ tag: 'static', value: 'x' }], false))).to.match(
      /^The tag "static" of type INT16: /,
    );

    bench.runtime.writeFault = ({ name }) =>
      name === 'rw' ? new Fault(ErrorCode.TYPE_MISMATCH, 'The coil takes 0 or 1.') : undefined;
    expect(await reasonOf(values.write('a', 'g', [{ tag: 'rw', value: 1 }], false))).to.equal(
      'The tag "rw" of type INT16: The coil takes 0 or 1.',
    );
    const request = appWrites(['a', 'text', 'x'], ['a', 'rw', 1]);
    const faults = await bench.runtime.events.write(app, request, true);
    expect(faults.map((fault) => fault?.message)).to.deep.equal(
      request.map(() => 'The tag "rw" (tags[1]) of type INT16: The coil takes 0 or 1.'),
    );
  });

  const appWrites = (...entries: [node: string, tag: string, value: JsonValue][]) =>
    entries.map(([driver, tag, value]) => ({ driver, group: 'g', tag, value }));
  const codesOf = async (writes: ReturnType<typeof appWrites>, isRequest: boolean): Promise<number[]> =>
    (await bench.runtime.events.write(app, writes, isRequest)).map((fault) => fault?.code ?? 0);

  it('a request to an app meets the rules of one tag, or of several, and is refused as a whole', async () => {
    expect(await codesOf(appWrites(['one', 'rw', 1]), true)).to.deep.equal([0]);
    const many = ErrorCode.WRITE_TAGS_UNSUPPORTED;
    expect(await codesOf(appWrites(['one', 'rw', 1], ['one', 'text', 'x']), true)).to.deep.equal([
      many,
      many,
    ]);
    const missing = ErrorCode.TAG_NOT_FOUND;
    expect(await codesOf(appWrites(['a', 'rw', 2], ['a', 'none', 1]), true)).to.deep.equal([
      missing,
      missing,
    ]);
    expect(await codesOf(appWrites(['a', 'bit', true]), true)).to.deep.equal([ErrorCode.TYPE_MISMATCH]);
    expect(await codesOf([], true)).to.deep.equal([]);
    expect(bench.runtime.written).to.deep.equal([{ tag: 'rw', value: 1 }]);
  });

  it('writes of an app have a result each, whatever becomes of the others', async () => {
    bench.runtime.writeFault = ({ name }) => (name === 'text' ? new Fault(10_005) : undefined);
    const writes = appWrites(
      ['a', 'rw', 1],
      ['a', 'none', 1],
      ['one', 'rw', 2],
      ['a', 'text', 'x'],
      ['one', 'text', 'y'],
      ['one', 'scaled', 1.2],
      ['a', 'static', 9],
      ['a', 'ro', 1],
      ['absent', 'rw', 1],
      ['up', 'rw', 1],
      ['a', 'rw', 40_000],
    );
    expect(await codesOf(writes, false)).to.deep.equal([
      ...[0, ErrorCode.TAG_NOT_FOUND, 0, 10_005, 10_005, 0, 0, ErrorCode.TAG_NOT_WRITABLE],
      ...[ErrorCode.NODE_NOT_FOUND, ErrorCode.GROUP_NOT_ALLOWED, ErrorCode.VALUE_OUT_OF_RANGE],
    ]);
    expect(bench.gateway.tags.list('a', 'g', 'static')[0]?.value).to.equal(9);
    expect(bench.runtime.written.map(({ tag: name }) => name).sort()).to.deep.equal([
      ...['rw', 'rw', 'scaled', 'text', 'text'],
    ]);
    expect(await codesOf([], false)).to.deep.equal([]);
  });

  it('writes of an app as a whole are all checked before anything is sent, over all drivers', async () => {
    const whole = async (...writes: Parameters<typeof appWrites>): Promise<number[]> =>
      (await bench.runtime.events.write(app, appWrites(...writes), false, { whole: true })).map(
        (fault) => fault?.code ?? 0,
      );
    const refused = ErrorCode.VALUE_OUT_OF_RANGE;
    expect(await whole(['a', 'rw', 1], ['a', 'static', 9], ['one', 'rw', 40_000])).to.deep.equal([
      refused,
      refused,
      refused,
    ]);
    const locked = ErrorCode.TAG_NOT_WRITABLE;
    expect(await whole(['a', 'ro', 1], ['one', 'rw', 40_000])).to.deep.equal([locked, locked]);
    expect(await whole(['a', 'rw', 1], ['absent', 'rw', 1])).to.deep.equal([
      ErrorCode.NODE_NOT_FOUND,
      ErrorCode.NODE_NOT_FOUND,
    ]);
    expect(bench.runtime.written).to.deep.equal([]);
    expect(bench.gateway.tags.list('a', 'g', 'static')[0]?.value).to.equal(5);
    // What becomes of them at their devices is the matter of each.
    bench.runtime.writeFault = ({ name }) => (name === 'text' ? new Fault(10_005) : undefined);
    expect(
      await whole(
        ['a', 'rw', 1],
        ['one', 'rw', 2],
        ['one', 'text', 'x'],
        ['a', 'static', 9],
        ['a', 'bit', 1],
      ),
    ).to.deep.equal([0, 0, 10_005, 0, 0]);
    expect(bench.runtime.written).to.have.length(4);
  });

  it('writes of an app reach a driver that cannot write several at once one after the other', async () => {
    const parts: number[] = [];
    let underway = 0;
    bench.runtime.write = async (_node, writes) => {
      parts.push(writes.length);
      expect(++underway).to.equal(1);
      await Promise.resolve();
      underway--;
      return writes.map(() => undefined);
    };
    await codesOf(appWrites(['one', 'rw', 1], ['one', 'text', 'x'], ['one', 'scaled', 1.2]), false);
    expect(parts.splice(0)).to.deep.equal([1, 1, 1]);
    await codesOf(appWrites(['a', 'rw', 1], ['a', 'text', 'x'], ['a', 'scaled', 1.2]), false);
    expect(parts).to.deep.equal([3]);
  });

  it('writes of an app to a driver that cannot be asked all carry its fault, those to others do not', async () => {
    const answer = bench.runtime.write.bind(bench.runtime);
    bench.runtime.write = (node, writes) =>
      node.name === 'a' ? Promise.reject(new Fault(ErrorCode.DISCONNECTED)) : answer(node, writes);
    const writes = appWrites(['a', 'rw', 1], ['one', 'rw', 1], ['a', 'text', 'x']);
    const lost = ErrorCode.DISCONNECTED;
    expect(await codesOf(writes, false)).to.deep.equal([lost, 0, lost]);
  });

  it('an app may give true or 1 for BIT and BOOL alike', async () => {
    const values = [true, 1, 0] as const;
    for (const name of ['bit', 'bool'])
      expect(
        await codesOf(
          appWrites(...values.map((value) => ['a', name, value] as [string, string, JsonValue])),
          false,
        ),
      ).to.deep.equal([0, 0, 0]);
    const written = bench.runtime.written.map(({ tag: name, value }) => [name, Number(value)]);
    expect(written).to.deep.equal(['bit', 'bool'].flatMap((name) => [1, 1, 0].map((value) => [name, value])));
    expect(await codesOf(appWrites(['a', 'bit', 2], ['a', 'bool', 2]), false)).not.to.include(0);
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

  it('browsing asks the driver of a node that runs, if it can browse', async () => {
    const browse = (node: string): Promise<number> =>
      codeOf(bench.gateway.values.browse(node, { id: '1!x' }));
    expect(await browse('none')).to.equal(ErrorCode.NODE_NOT_FOUND);
    expect(await browse('up')).to.equal(ErrorCode.GROUP_NOT_ALLOWED);
    expect(await browse('one')).to.equal(ErrorCode.SCAN_UNSUPPORTED);
    expect(await browse('a')).to.equal(0);
    expect(bench.runtime.take()).to.deep.equal(['browse a 1!x']);
    await bench.gateway.nodes.control('a', NodeCommand.STOP);
    expect(await browse('a')).to.equal(ErrorCode.NOT_RUNNING);
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
