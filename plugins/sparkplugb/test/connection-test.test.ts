import { hasMosquitto, mosquittoBroker, Peer } from '@tagway/mqtt-client/test';
import type { ConnectionStep } from '@tagway/sdk';
import { freePort } from '@tagway/testkit';
import { expect } from 'chai';
import plugin from '../src/index.ts';
import { settingsAt } from './nodes.ts';

async function tried(port: number, params = {}): Promise<{ steps: ConnectionStep[]; failure: string }> {
  const steps: ConnectionStep[] = [];
  let failure = '';
  try {
    const settings = settingsAt(port, params);
    const step = (name: ConnectionStep): void => void steps.push(name);
    const signal = AbortSignal.timeout(10_000);
    await plugin.tryConnection!({ node: 'spark', settings: settings as never, signal, step });
  } catch (error) {
    failure = (error as Error).message;
  }
  return { steps, failure };
}

const title = `the connection test with mosquitto${hasMosquitto ? '' : ' (skipped: mosquitto is not installed)'}`;
(hasMosquitto ? describe : describe.skip)(title, () => {
  it('goes all the way without a birth or a death', async () => {
    await using broker = await mosquittoBroker();
    await using listener = await Peer.connect(broker.port, '#');
    expect(await tried(broker.port, { 'primary-host-id': 'scada' })).to.deep.equal({
      steps: ['connect', 'login', 'rights'],
      failure: '',
    });
    await listener.client.publishAsync('end', 'x', { qos: 1 });
    await listener.first('end');
    expect(listener.received.map(({ topic }) => topic)).to.deep.equal(['end']);
  });

  it('says at which step it fails, and why', async () => {
    const { steps, failure } = await tried(await freePort());
    expect(steps).to.deep.equal(['connect']);
    expect(failure).to.match(/ECONNREFUSED/);
  });
});
