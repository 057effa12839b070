// A client that polls the field device every 50 ms: what a gateway does, without a gateway, for the tests of the kit.
import { connect, type Socket } from 'node:net';

const [host = '', port = ''] = process.argv.slice(2);
/** Reads two holding registers from the first on, of unit 1. */
const request = Buffer.from([0, 1, 0, 0, 0, 6, 1, 3, 0, 0, 0, 2]);
let socket: Socket | undefined;

function dial(): void {
  const dialled = connect({ host, port: Number(port) }, () => {
    socket = dialled;
    console.log('polling');
  });
  dialled.on('error', () => undefined);
  dialled.on('close', () => {
    socket = undefined;
    setTimeout(dial, 100);
  });
  dialled.resume();
}

dial();
setInterval(() => socket?.write(request), 50);
