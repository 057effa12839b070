import { ErrorCode, type NodeProfileReply, type ProfilePlanReply, type ProfileReply } from '@tagway/schemas';
import { expect } from 'chai';
import type { Client } from '../kit/client.ts';
import { readValues } from '../kit/configure.ts';
import { meterProfile, onePixel, profileArchive } from '../kit/profiles.ts';
import { until } from '../kit/until.ts';
import { describePair } from './suite.ts';

const id = 'acme-meter';

async function shownBy(client: Client): Promise<ProfileReply | undefined> {
  const { status, body } = await client.call<ProfileReply>('GET', '/profile', { profile: id });
  return status === 200 ? body : undefined;
}

const versionAt = async (client: Client): Promise<string | undefined> =>
  (await shownBy(client))?.profile.version;

const install = (client: Client, version: string): Promise<number> => {
  const archive = profileArchive(meterProfile({ version, picture: 'meter.png' }), { 'meter.png': onePixel });
  return client.errorOf('POST', '/profile', { file: archive.toString('base64') });
};

describePair('device profiles at two gateways', 41, false, ({ pair }) => {
  it('that users install are at both, with what nodes were given, over a hand-over and a restart', async () => {
    const before = await pair().settled();
    const active = await before.active.client();
    const standby = await before.standby.client();
    expect(await install(standby, '1.0.0')).to.equal(ErrorCode.STANDBY);
    expect(await install(active, '1.0.0')).to.equal(ErrorCode.SUCCESS);
    await until('the standby has the profile', async () => (await versionAt(standby)) === '1.0.0');
    expect(await shownBy(standby)).to.deep.equal(await shownBy(active));
    const params = pair().deviceSettings;
    await active.ok('POST', '/profile/node', { profile: id, node: 'meter', params });
    const given = await active.ok<NodeProfileReply>('GET', '/profile/node', { node: 'meter' });
    expect(given.profile?.version).to.equal('1.0.0');
    await until(
      'the standby knows what the node was given',
      async () => (await standby.errorOf('GET', '/profile/node', { node: 'meter' })) === ErrorCode.SUCCESS,
    );
    expect(await standby.ok('GET', '/profile/node', { node: 'meter' })).to.deep.equal(given);

    await pair().switch();
    const after = await pair().settled();
    expect(after.active.side).to.equal(before.standby.side);
    const next = await after.active.client();
    expect(await next.ok('GET', '/profile/node', { node: 'meter' })).to.deep.equal(given);
    await readValues(next, 'meter', 'fast');
    expect(await install(next, '1.1.0')).to.equal(ErrorCode.SUCCESS);
    const plan = await next.ok<ProfilePlanReply>('POST', '/profile/plan', { node: 'meter' });
    expect(plan).to.include({ from: '1.0.0', to: '1.1.0' });
    await next.ok('POST', '/profile/update', { node: 'meter' });
    const former = await after.standby.client();
    await until('the other gateway has the later version, too', async () => {
      const { profile } = await former.ok<NodeProfileReply>('GET', '/profile/node', { node: 'meter' });
      return (await versionAt(former)) === '1.1.0' && profile?.version === '1.1.0';
    });

    await after.standby.stop();
    await after.standby.start();
    await pair().settled();
    const again = await after.standby.client();
    expect(await shownBy(again)).to.deep.equal(await shownBy(next));
  });

  it('that come while the other gateway is away are there when it is back, and so is the removal of one', async () => {
    const { active, standby } = await pair().settled();
    await standby.stop();
    const client = await active.client();
    expect(await install(client, '1.2.0')).to.equal(ErrorCode.SUCCESS);
    await standby.start();
    await pair().settled();
    const follower = await standby.client();
    await until('the gateway that was away has it', async () => (await versionAt(follower)) === '1.2.0');
    await client.ok('DELETE', '/profile', { profile: id });
    await until('it is gone at both', async () => (await shownBy(follower)) === undefined);
    expect(await shownBy(client)).to.equal(undefined);
  });
});
