// A small MQTT broker for machines without mosquitto. Argument: the port, 0 for a free one.
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Aedes } from 'aedes';

const broker = await Aedes.createBroker();
const server = createServer((socket) => {
  broker.handle(socket);
});
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  console.log(`The broker listens on ${(server.address() as AddressInfo).port}.`);
});
