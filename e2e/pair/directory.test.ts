import type { OutdatedReply, PluginOrigin, RegistriesReply } from '@tagway/schemas';
import { expect } from 'chai';
import type { Client } from '../kit/client.ts';
import { doneJob } from '../kit/directory.ts';
import { packageOf } from '../kit/packages.ts';
import { until } from '../kit/until.ts';
import { LyingRegistry } from '../world/lying-registry.ts';
import { describePair } from './suite.ts';

const meter = 'tagway-meter';

async function originOf(client: Client): Promise<PluginOrigin | undefined> {
  const { plugins } = await client.ok<{ plugins: { origin?: PluginOrigin }[] }>('GET', '/plugin', {
    plugin: 'meter',
  });
  return plugins[0]?.origin;
}

describePair('plugins by name at two gateways', 32, false, ({ pair }) => {
  it('are set, installed and updated once, with where they came from and the credentials for it', async () => {
    await using registry = await LyingRegistry.start(undefined, pair().network.address('outside'));
    registry.add(packageOf(meter, 'meter'));
    const before = await pair().settled();
    const client = await before.active.client();
    const registries = [{ url: registry.url, token: 'the-token' }];
    await client.ok('PUT', '/directory/registries', { registries, look_every: 24 });
    await doneJob(client, { action: 'install', package: meter });
    const follower = await before.standby.client();
    await until('the standby has the plugin', async () => (await originOf(follower)) !== undefined);
    expect(await originOf(follower)).to.deep.equal(await originOf(client));
    const shown = await follower.ok<RegistriesReply>('GET', '/directory/registries');
    expect(shown).to.deep.include({ look_every: 24, registries: [{ url: registry.url, token: '********' }] });

    registry.add(packageOf(meter, 'meter', { version: '1.1.0' }));
    await pair().switch();
    const after = await pair().settled();
    expect(after.active.side).to.equal(before.standby.side);
    const next = await after.active.client();
    // Who becomes active looks for newer versions, as is set, and the gateway that became the standby does not.
    await until('the new active gateway has looked', async () => {
      const { plugins } = await next.ok<OutdatedReply>('GET', '/directory/outdated');
      return plugins[0]?.fitting === '1.1.0';
    });
    expect(registry.requests.every(({ authorization }) => authorization === 'Bearer the-token')).to.equal(
      true,
    );
    await doneJob(next, { action: 'update', plugin: 'meter' });
    const former = await after.standby.client();
    await until('the other gateway has it, too', async () => (await originOf(former))?.version === '1.1.0');
    expect(await originOf(former)).to.deep.equal(await originOf(next));
  });
});
