import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import type { Asking } from '../../src/core/access/users.ts';
import type { Node } from '../../src/core/model.ts';
import { appPlugin, Bench, codeOf } from './harness.ts';

const manager: Asking = { user: 'admin', manages: true };
/** An address of documentation, which is not this machine. */
const elsewhere = '192.0.2.7';

describe('logins through apps', () => {
  let bench: Bench;
  let app: Node;

  const find = (): Node => bench.gateway.nodes.get('opc');
  const login = (name: string, password: string, address = '127.0.0.1'): Promise<number> =>
    codeOf(bench.runtime.events.login(app, name, password, address));
  const allow = (asking: Asking, logins: boolean): Promise<number> =>
    codeOf(() => bench.gateway.pluginPermissions.allowLogins(asking, appPlugin.name, logins));

  beforeEach(async () => {
    bench = await Bench.open();
    await bench.gateway.nodes.add({ name: 'opc', plugin: appPlugin.name });
    app = find();
    await bench.gateway.users.add(manager, 'otto', 'operates', 'operator');
    await bench.gateway.users.add(manager, 'vera', 'views', 'viewer');
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  it('are refused until an admin has allowed the plugin, also after a restart, and again when that is taken back', async () => {
    expect(await login('otto', 'operates')).to.equal(ErrorCode.USER_NOT_PERMITTED);
    expect(await allow({ user: 'otto', manages: false }, true)).to.equal(ErrorCode.USER_NOT_PERMITTED);
    expect(await allow(manager, true)).to.equal(0);
    expect(await login('otto', 'operates')).to.equal(0);
    await bench.restart();
    app = find();
    expect(await login('otto', 'operates')).to.equal(0);
    expect(await allow(manager, false)).to.equal(0);
    expect(await login('otto', 'operates')).to.equal(ErrorCode.USER_NOT_PERMITTED);
  });

  it('say the role, and refuse what is wrong as a login over HTTP is refused', async () => {
    await allow(manager, true);
    expect(await bench.runtime.events.login(app, 'vera', 'views', elsewhere)).to.deep.equal({
      role: 'viewer',
    });
    expect(await login('vera', 'operates')).to.equal(ErrorCode.CREDENTIALS_INVALID);
    expect(await login('nobody', 'views')).to.equal(ErrorCode.CREDENTIALS_INVALID);
    expect(await login('x'.repeat(2000), 'views')).to.equal(ErrorCode.CREDENTIALS_INVALID);
    // The password of a new gateway is good on its own machine alone.
    expect(await login('admin', '0000')).to.equal(0);
    expect(await login('admin', '0000', elsewhere)).to.equal(ErrorCode.CREDENTIALS_INVALID);
  });

  it('let the user write what its role allows at that moment', async () => {
    await allow(manager, true);
    const write = async (user: string): Promise<number | undefined> => {
      const writes = [{ driver: 'absent', group: 'g', tag: 't', value: 1 }];
      return (await bench.runtime.events.write(app, writes, false, { user }))[0]?.code;
    };
    expect(await write('vera')).to.equal(ErrorCode.USER_NOT_PERMITTED);
    expect(await write('nobody')).to.equal(ErrorCode.USER_NOT_PERMITTED);
    // Looked at as any write: there is no such node.
    expect(await write('otto')).to.equal(ErrorCode.NODE_NOT_FOUND);
    await bench.gateway.users.update(manager, 'otto', { role: 'viewer' });
    expect(await write('otto')).to.equal(ErrorCode.USER_NOT_PERMITTED);
    // A plugin that may not have logins checked cannot know who its clients are.
    await bench.gateway.users.update(manager, 'otto', { role: 'operator' });
    await allow(manager, false);
    expect(await write('otto')).to.equal(ErrorCode.USER_NOT_PERMITTED);
  });
});
