import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ErrorCode, isFault, LinkState, type Clock } from '@tagway/sdk';
import { setSendGate } from '@tagway/sdk/internal';
import { Link, Requests, type LinkContext } from '@tagway/sdk/link';
import { checkParity, listPorts, serialPort, type PortOptions, type SerialPort } from '@tagway/serial';
import { SerialCable, itWithSerialPort, until } from '@tagway/testkit';

const options = (path: string, changes: Partial<PortOptions> = {}): PortOptions => ({
  path,
  baudRate: 115_200,
  dataBits: 8,
  stopBits: 1,
  parity: 'none',
  ...changes,
});

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
  timer: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** One end of a cable with a protocol of lines on it, which runs over TCP just as well. */
class Node implements AsyncDisposable {
  readonly states: LinkState[] = [];
  readonly lines: string[] = [];
  readonly link: Link;
  readonly requests: Requests<string>;

  constructor(port: SerialPort, heard?: (line: string) => void) {
    const silent = (): void => undefined;
    const context: LinkContext = {
      clock,
      log: { debug: silent, info: silent, notice: silent, warn: silent, error: silent },
      link: (state) => void this.states.push(state),
      rtt: silent,
      count: silent,
    };
    this.link = new Link(context, port, {
      length: (bytes, at, end) => bytes.subarray(at, end).indexOf('\n') + 1,
      most: 100,
      frame: (_session, data, at, end) => {
        const line = data.toString('latin1', at, end - 1);
        this.lines.push(line);
        if (heard === undefined) this.requests.settle(0, line);
        else heard(line);
      },
    });
    this.requests = new Requests(this.link, { timeout: 1000 });
  }

  say(line: string): void {
    this.link.send(Buffer.from(`${line}\n`));
  }

  ask(line: string): Promise<string> {
    return this.requests.ask(() => this.say(line));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.link.close();
  }
}

async function nodeOn(name: string, port: PortOptions, heard?: (line: string) => void): Promise<Node> {
  const node = new Node(serialPort(name, port), heard);
  await node.link.open();
  return node;
}

/** A device at the far end that answers every line with the same in capitals. */
async function echo(cable: SerialCable): Promise<Node> {
  const node: Node = await nodeOn('device', options(cable.far), (line) => node.say(line.toUpperCase()));
  return node;
}

describe('a serial port', function () {
  this.timeout(20_000);

  itWithSerialPort('carries a protocol of the link layer', async () => {
    await using cable = await SerialCable.open('port');
    await using _device = await echo(cable);
    await using node = await nodeOn('node', options(cable.near));
    expect(node.states).to.deep.equal([LinkState.CONNECTING, LinkState.CONNECTED]);
    expect(await node.ask('hello')).to.equal('HELLO');
  });

  itWithSerialPort('is opened again after the adapter was pulled out and plugged in', async () => {
    await using cable = await SerialCable.open('port');
    await using device = await echo(cable);
    await using node = await nodeOn('node', options(cable.near));
    for (let round = 0; round < 2; round++) {
      expect(await node.ask(`r${round}`)).to.equal(`R${round}`);
      await cable.unplug();
      await until('the loss is noticed', () => node.states.at(-1) === LinkState.DISCONNECTED);
      await cable.plug();
      await until('both are back', () => node.link.up && device.link.up);
    }
  });

  itWithSerialPort('sends nothing while the send gate is shut, and is opened again afterwards', async () => {
    await using cable = await SerialCable.open('port');
    await using device = await echo(cable);
    await using node = await nodeOn('node', options(cable.near));
    setSendGate(() => false);
    try {
      expect(await node.ask('late').catch(() => 'refused')).to.equal('refused');
      await until('the port is closed', () => node.states.includes(LinkState.DISCONNECTED));
      expect(device.lines).to.deep.equal([]);
    } finally {
      setSendGate(undefined);
    }
    await until('it is back', () => node.link.up);
    expect(await node.ask('now')).to.equal('NOW');
  });

  itWithSerialPort(
    'is shared by nodes that agree on its options, and refused to others by name',
    async () => {
      await using cable = await SerialCable.open('port');
      await using _device = await echo(cable);
      await using one = await nodeOn('one', options(cable.near));
      await using two = await nodeOn('two', options(cable.near));
      expect(await one.ask('a')).to.equal('A');
      expect(await two.ask('b')).to.equal('B');
      expect([one.lines, two.lines]).to.deep.equal([['A'], ['B']]);
      const refusal: unknown = await nodeOn('late', options(cable.near, { parity: 'even' })).catch(
        (error: unknown) => error,
      );
      if (!isFault(refusal)) throw new Error('It was not refused.');
      expect(refusal.code).to.equal(ErrorCode.NODE_SETTING_INVALID);
      expect(refusal.message).to.contain('"one" uses the port').and.contain('115200 8E1');
      await one.link.close();
      expect(await two.ask('c'), 'the port stays open for the other').to.equal('C');
    },
  );

  itWithSerialPort('opens with every parity, size and stop bit that the platform has', async () => {
    await using cable = await SerialCable.open('port');
    for (const parity of ['none', 'odd', 'even'] as const)
      for (const dataBits of [5, 6, 7, 8] as const)
        for (const stopBits of [1, 2] as const) {
          await using node = await nodeOn(
            'node',
            options(cable.near, { baudRate: 2400, parity, dataBits, stopBits }),
          );
          expect(node.link.up, `${dataBits} ${parity} ${stopBits}`).to.equal(true);
        }
  });

  itWithSerialPort('takes its time between frames from its speed', async () => {
    await using cable = await SerialCable.open('port');
    const port = serialPort('node', options(cable.near, { baudRate: 1200, parity: 'even' }));
    await using _node = new Node(port);
    await _node.link.open();
    // Eleven bits a character.
    expect(port.line.medium.gap).to.be.closeTo((3.5 * 11_000) / 1200, 0.01);
  });

  it('that does not exist is reported with its path, and tried again', async () => {
    await using node = await nodeOn('node', options(join(tmpdir(), 'tagway-no-such-port')));
    expect(node.states).to.deep.equal([LinkState.CONNECTING, LinkState.DISCONNECTED]);
  });
});

describe('the ports of this machine', () => {
  it('can be listed', async () => {
    for (const { path } of await listPorts()) expect(path).to.not.equal('');
  });

  it('have mark and space parity on Windows alone', () => {
    expect(checkParity('even')).to.equal(undefined);
    const fault = checkParity('mark');
    if (process.platform === 'win32') expect(fault).to.equal(undefined);
    else expect(fault?.code).to.equal(ErrorCode.NODE_SETTING_INVALID);
  });
});
