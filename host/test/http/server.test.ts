import { ErrorCode } from '@tagway/schemas';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { startApi } from './fixture.ts';
import { localMachine } from './machine.ts';
import { HttpServer } from '../../src/http/server.ts';

describe('the HTTP server', () => {
  it('says what is wrong when its port is taken', async () => {
    const api = await startApi();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const build = { version: '', revision: '', build_date: '' };
    const log = {
      isLevelEnabled: () => false,
      debug: () => undefined,
      notice: () => undefined,
      warn: () => undefined,
      error: () => undefined,
    };
    const machine = localMachine('/nowhere');
    const server = new HttpServer({ gateway: api.gateway, machine, keys: api.keys, build, log });
    const error: unknown = await server.listen(port, '127.0.0.1').catch((reason: unknown) => reason);
    expect(String(error))
      .to.contain(`cannot listen on 127.0.0.1 port ${port}`)
      .and.contain('another program listens there');
    taken.close();
    await api.close();
  });

  it('closes although clients keep their connections open', async () => {
    const api = await startApi();
    const socket = connect(api.port, '127.0.0.1');
    socket.write('POST /api/v2/ping HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    const closed = once(socket, 'close');
    socket.resume();
    await api.close();
    await closed;
  });

  it('numbers the requests in its log and says why one was refused', async () => {
    const lines: [fields: object, message: string][] = [];
    const log = {
      isLevelEnabled: (level: string) => level === 'debug',
      debug: (fields: object, message: string) => void lines.push([fields, message]),
      notice: () => undefined,
      warn: () => undefined,
      error: () => undefined,
    };
    const api = await startApi({ log });
    lines.length = 0;
    await api.call('POST /api/v2/node', { name: 'd' });
    await api.close();
    expect(lines).to.have.length(2);
    expect(lines[0]?.[0]).to.include({ request: 2, error: ErrorCode.BODY_INVALID });
    expect(lines[0]?.[1]).to.equal('POST /api/v2/node was refused: The field plugin is missing.');
    expect(lines[1]?.[0]).to.include({ request: 2, status: 400, from: '127.0.0.1' });
    expect(lines[1]?.[1]).to.equal('POST /api/v2/node');
  });
});
