// An app with inputs for tests, without anything of the SDK. It writes what the first tag of each row has to the second one, all in one call,
// and echoes what its clients send. It goes on with other rows; with another port it has to start anew.

import { createServer } from 'node:net';

const connected = 2;

const textOf = ({ node, group, tag }) => [node, group, tag].map(encodeURIComponent).join('/');

const rowsOf = ({ rows }) =>
  rows.split('\n').map((row) =>
    Array.from(row.matchAll(/tag\("([^"]+)"\)/g), ([, text]) => {
      const [driver, group, tag] = text.split('/').map(decodeURIComponent);
      return { driver, group, tag };
    }),
  );

class Copier {
  #context;
  #port;
  #rows;
  #sockets = new Set();
  #server = createServer((socket) => {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });

  constructor(context) {
    this.#context = context;
    this.#port = context.settings.port;
    this.#rows = rowsOf(context.settings);
  }

  async start() {
    this.#context.log.notice('The copier starts.');
    await new Promise((resolve, reject) => {
      this.#server.on('error', reject).listen(this.#port, '127.0.0.1', resolve);
    });
    this.#context.link(connected);
  }

  settingsChanged(settings) {
    if (settings.port !== this.#port) return false;
    this.#rows = rowsOf(settings);
    return true;
  }

  subscriptionsChanged() {}

  driversChanged(states) {
    const words = states.map(({ driver, running, link, writesMany }) =>
      [driver, running, link, writesMany ? 'many' : 'one'].join(' '),
    );
    this.#context.log.notice(`Drivers: ${words.join(', ')}.`);
  }

  deliver() {}

  async deliverInputs(inputs) {
    const sources = inputs.references.map(textOf);
    const writes = this.#rows.flatMap(([{ driver: node, group, tag }, target]) => {
      const input = sources.indexOf(textOf({ node, group, tag }));
      const isThere = input >= 0 && inputs.fresh.includes(input) && inputs.fault(input) === undefined;
      return isThere ? { ...target, value: inputs.number(input) } : [];
    });
    await this.#context.write(writes, { linked: true });
  }

  async stop() {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export default {
  [Symbol.for('tagway.app')]: true,
  create: (context) => new Copier(context),
};
