// A small MQTT broker for machines without mosquitto. Arguments: the port, 0 for a free one, and the address.
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Aedes } from 'aedes';

const broker = await Aedes.createBroker();
const server = createServer((socket) => {
  broker.handle(socket);
});
server.listen(Number(process.argv[2] ?? 0), process.argv[3] ?? '127.0.0.1', () => {
  console.log(`The broker listens on ${(server.address() as AddressInfo).port}.`);
});
