import { createServer, type Server } from 'node:net';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { FastDevice } from '../bench/fast-device.ts';
import { hasSocat, layCable } from '../world/cable.ts';
import { connected, modbusSettings } from '../kit/configure.ts';
import { useGateway } from '../world/plant.ts';
import { startRtuLine } from '../world/rtu-line.ts';

interface Step {
  readonly step: string;
  readonly ok: boolean;
  readonly error?: number;
  readonly message?: string;
  readonly value?: unknown;
}

describe('a connection test of a Modbus device', function () {
  this.timeout(60_000);
  const { gateway, client } = useGateway();
  let device: FastDevice;
  let mute: Server;

  before(async () => {
    device = await FastDevice.start({ silent: [9], size: 100 });
    mute = createServer();
  });
  after(() => device?.stop());

  async function steps(params: object, tag?: object, plugin = 'Modbus TCP'): Promise<readonly Step[]> {
    const reply = await client.ok('POST', '/node/test', { plugin, params, ...(tag && { tag }) });
    return (reply as { steps: Step[] }).steps;
  }

  const summaryOf = (taken: readonly Step[]): string[] =>
    taken.map(({ step, ok }) => `${step} ${ok ? 'ok' : 'failed'}`);
  const tag = (address: string, type: DataType = DataType.UINT16) => ({ address, type });

  it('goes all the way', async () => {
    const taken = await steps(modbusSettings(device.port), tag('1!400001'));
    expect(summaryOf(taken)).to.deep.equal([
      'resolve ok',
      'connect ok',
      'handshake ok',
      'answer ok',
      'read ok',
    ]);
    expect(taken.at(-1)?.value).to.be.a('number');
  });

  it('stops at the first step that fails, and says why', async () => {
    const free = await new Promise<number>((resolve) => {
      mute.listen(0, '127.0.0.1', () => {
        const { port } = mute.address() as { port: number };
        mute.close(() => resolve(port));
      });
    });
    const refused = await steps(modbusSettings(free), tag('1!400001'));
    expect(summaryOf(refused)).to.deep.equal(['resolve ok', 'connect failed']);
    expect(refused.at(-1)?.message).to.include(`127.0.0.1:${free} refuses connections`);

    const unit = await steps(modbusSettings(device.port), tag('9!400001'));
    expect(summaryOf(unit)).to.deep.equal(['resolve ok', 'connect ok', 'handshake ok', 'answer failed']);
    expect(unit.at(-1)?.error).to.equal(ErrorCode.NO_RESPONSE);

    const illegal = await steps(modbusSettings(device.port), tag('1!400500'));
    expect(summaryOf(illegal).slice(-2)).to.deep.equal(['answer ok', 'read failed']);

    const nonsense = await steps(modbusSettings(device.port), tag('nonsense'));
    expect(summaryOf(nonsense)).to.deep.equal(['resolve ok', 'connect ok', 'handshake ok', 'read failed']);
    expect(nonsense.at(-1)?.error).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
    const messages = [refused, unit, illegal, nonsense].map((taken) => taken.at(-1)?.message);
    expect(new Set(messages).size).to.equal(messages.length);
  });

  it('is not made where the gateway would wait for the device', async () => {
    const params = modbusSettings(device.port, { connection_mode: 1 });
    const { status, body } = await client.call('POST', '/node/test', { plugin: 'Modbus TCP', params });
    expect([status, (body as { error: number }).error]).to.deep.equal([
      400,
      ErrorCode.PLUGIN_TYPE_UNSUPPORTED,
    ]);
  });

  it('leaves no node, no connection and no folder', async () => {
    const { states } = (await client.ok('GET', '/node/state')) as unknown as { states: unknown[] };
    expect(states).to.deep.equal([]);
    expect(await readdir(join(gateway.data, 'nodes'))).to.deep.equal([]);
  });

  const onPort = hasSocat ? it : it.skip;
  onPort(
    `shares a serial line with a node of its plugin, and names one of another plugin that holds it${hasSocat ? '' : ' (skipped: socat is not installed)'}`,
    async () => {
      await using stack = new AsyncDisposableStack();
      const line = await startRtuLine();
      stack.defer(() => line.stop());
      const port = join(gateway.data, 'port');
      const cable = await layCable(port, line.port);
      stack.defer(() => cable.stop());
      const serial = {
        link: 0,
        device: port,
        baud: 0,
        data: 3,
        parity: 0,
        stop: 0,
        timeout: 1000,
        interval: 20,
      };
      await client.ok('POST', '/node', { name: 'bus', plugin: 'Modbus RTU', params: serial });
      stack.defer(() => client.ok('DELETE', '/node', { name: 'bus' }).then(() => undefined));
      const tags = [{ name: 'a', attribute: 1, ...tag('1!400001') }];
      await client.ok('POST', '/tags', { node: 'bus', group: 'g', tags });
      await connected(client, 'bus');

      const shared = await steps(serial, tag('1!400002'), 'Modbus RTU');
      expect(summaryOf(shared).at(-1)).to.equal('read ok');
      expect(line.connections).to.equal(1);
      await connected(client, 'bus');

      const other = await steps({ ...serial, stop: 1 }, tag('1!400002'), 'Modbus RTU');
      expect(summaryOf(other).at(-1)).to.equal('connect failed');
      expect(other.at(-1)?.message).to.include('"bus"');

      const meter = { link: 0, device: port, mail_address: 123456789012, timeout: 1000 };
      const held = await steps({ ...meter, baud: 0, data: 3, parity: 2, stop: 0 }, undefined, 'DLT645-2007');
      expect(summaryOf(held)).to.deep.equal(['connect failed']);
      expect(held[0]?.message).to.include('The node "bus"').and.to.include('Stop that node');
      await connected(client, 'bus');
    },
  );
});
