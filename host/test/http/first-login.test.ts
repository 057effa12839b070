import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { ErrorCode, dialects } from '@tagway/schemas';
import { expect } from 'chai';
import { type Fixture, startApi } from './fixture.ts';

for (const [name, dialect] of Object.entries(dialects)) {
  describe(`the password of a new gateway, in the dialect ${name}`, () => {
    let api: Fixture;
    before(async () => {
      api = await startApi({ dialect });
    });
    after(() => api?.close());

    /** The reply to a login that a proxy, or this machine itself, sends from 127.0.0.1. */
    async function login(pass: string, headers: readonly string[], version = '1.1'): Promise<string> {
      const body = JSON.stringify({ name: 'admin', pass });
      const socket = connect(api.port, '127.0.0.1');
      await once(socket, 'connect');
      const lines = [`POST /api/v2/login HTTP/${version}`, ...headers, 'Connection: close'];
      socket.write(`${lines.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      return text(socket);
    }

    const host = 'Host: 127.0.0.1';
    for (const own of ['127.0.0.1:7000', 'localhost:7000', 'LOCALHOST', '[::1]:7000', '127.1.2.3'])
      it(`is good on the machine itself, at ${own}`, async () => {
        expect(await login('0000', [`Host: ${own}`]))
          .to.include('200 OK')
          .and.include('token');
      });

    for (const [who, headers, version] of [
      ['a proxy that says for whom', [host, 'X-Forwarded-For: 127.0.0.1']],
      ['a proxy that says for whom, in the way of RFC 7239', [host, 'Forwarded: for=127.0.0.1']],
      ['a proxy that says that it is one', [host, 'Via: 1.1 proxy']],
      ['a proxy with a header of its own', [host, 'X-Real-IP: 127.0.0.1']],
      ['a proxy that hands on the name that it has', ['Host: gateway.plant']],
      ['a proxy that hands on the address that it has', ['Host: 192.0.2.7:7000']],
      ['a web page whose name leads here', ['Host: 127.0.0.1.example.com']],
      ['a proxy that speaks HTTP/1.0', [host], '1.0'],
    ] as const) {
      it(`is refused, with what to do, to ${who}`, async () => {
        const reply = await login('0000', headers, version);
        expect(reply).to.include('401 Unauthorized').and.include(`"error":${ErrorCode.CREDENTIALS_INVALID}`);
        expect(reply).to.include('TAGWAY_ADMIN_PASSWORD').and.include('POST /api/v2/password');
      });
    }

    it('is refused like any other where it is not the right one', async () => {
      const reply = await login('nope', [host, 'Via: 1.1 proxy']);
      expect(reply).to.include('401 Unauthorized').and.not.include('TAGWAY_ADMIN_PASSWORD');
    });

    it("is nobody else's business once it is changed, and again when it is set back", async () => {
      await api.gateway.users.changePassword('admin', '0000', 'changed');
      expect(await login('changed', ['Host: gateway.plant', 'Via: 1.1 proxy'])).to.include('200 OK');
      await api.gateway.users.resetPassword();
      expect(await login('0000', ['Host: gateway.plant'])).to.include('401 Unauthorized');
    });
  });
}
