import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/schemas';
import type { Context, Driver, Fault, Point, Values } from '@tagway/sdk';
import plugin from './line-meter.ts';
import { contextFor } from './device.ts';

/** The meter: register n holds n, register 13 does not exist. */
function serve(socket: Socket, written: number[][]): void {
  const answer = (id: number, kind: number, data: Buffer): void => {
    const bytes = Buffer.concat([Buffer.from([0, 2 + data.length, id, kind]), data]);
    for (const byte of bytes) socket.write(Buffer.from([byte]));
  };
  socket.setNoDelay(true);
  socket.on('data', (data) => {
    for (let at = 0; at < data.length; at += 2 + data.readUInt16BE(at)) {
      const [id = 0, kind] = data.subarray(at + 2);
      if (kind === 0) {
        answer(id, 0, Buffer.from([0, 50]));
        continue;
      }
      const place = data.readUInt16BE(at + 4);
      const count = data.readUInt16BE(at + 6);
      if (kind === 2) {
        written.push([place, count]);
        answer(id, 0x82, Buffer.alloc(0));
      } else if (place <= 13 && place + count > 13) answer(id, 0xff, Buffer.from([2]));
      else {
        const values = Buffer.alloc(count * 2);
        for (let i = 0; i < count; i++) values.writeUInt16BE(place + i, i * 2);
        answer(id, 0x81, values);
      }
    }
  });
}

describe("the guide's example of a driver on a link", () => {
  it('reads in few requests, costs one bad register alone, and writes', async () => {
    const written: number[][] = [];
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      serve(socket, written);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { context } = contextFor();
    const settings = { host: '127.0.0.1', port, timeout: 1000 };
    const { create } = plugin as unknown as { create(given: Context): Driver };
    const driver = create({ ...context, settings } as unknown as Context);
    await driver.start();
    const points: Point[] = ['0', '12', '13', '14', '49', '99', 'x'].map((address) => ({
      name: address,
      address,
      type: DataType.UINT16,
      attribute: 3,
    }));
    const got: (number | string)[] = [];
    const into = {
      number: (index: number, value: number) => (got[index] = value),
      fault: (index: number, fault: Fault) => (got[index] = `fault ${fault.code}`),
      done: (index: number) => (got[index] = 'done'),
    };
    const call = { signal: new AbortController().signal, cause: 'poll' } as const;
    await driver.read(points, into as unknown as Values, call);
    expect(got).to.deep.equal([
      0,
      12,
      `fault ${ErrorCode.READ_FAILED}`,
      14,
      49,
      99,
      `fault ${ErrorCode.TAG_ADDRESS_INVALID}`,
    ]);
    await driver.write?.([{ point: points[0]!, value: 7 }], into, call);
    expect([got[0], written]).to.deep.equal(['done', [[0, 7]]]);
    await driver.stop(call.signal);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});
