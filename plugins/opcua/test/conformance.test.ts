import { driverConformance } from '@tagway/pluginkit';
import { DataType } from '@tagway/sdk';
import { Server } from './server.ts';

let server: Server;

/** One server for all tests, which takes long to start; each test has a relay of its own before it. */
async function peer(): Promise<{ port: number } & AsyncDisposable> {
  return { port: server.port, [Symbol.asyncDispose]: () => Promise.resolve() };
}

const points = [
  { address: '1!Int16', type: DataType.INT16 },
  { address: '1!SByte', type: DataType.INT8 },
  { address: '1!Int64', type: DataType.INT64 },
  { address: '1!UInt64', type: DataType.UINT64 },
  { address: '1!Double', type: DataType.DOUBLE },
  { address: '1!Boolean', type: DataType.BOOL },
  { address: '1!Boolean', type: DataType.BIT },
  { address: '1!DateTime', type: DataType.UINT32 },
  { address: '1!String', type: DataType.STRING },
  { address: '1[0]!Int32Array', type: DataType.INT32 },
];

describe('OPC UA', function () {
  this.timeout(30_000);

  before(async () => {
    server = await Server.start();
  });
  after(() => server?.[Symbol.asyncDispose]());

  driverConformance(new URL('../', import.meta.url), {
    device: {
      peer,
      // The mode that subscribes: reads on demand are part of it.
      settings: (port) => ({
        url: `opc.tcp://127.0.0.1:${port}/`,
        timeout: 1000,
        update_mode: 1,
        publishing_interval: 50,
      }),
    },
    points,
    browsed: [{ name: 'Int16', type: DataType.INT16, description: 'Speed of the belt' }],
    refused: { address: '1!Missing', type: DataType.INT32 },
    malformed: { address: '1!' },
    writes: [
      { address: '1!Int32', type: DataType.INT32, value: 42 },
      { address: '1!UInt64', type: DataType.UINT64, value: 2n ** 64n - 1n },
      { address: '1!Float', type: DataType.FLOAT, value: 1.5 },
    ],
  });
});
