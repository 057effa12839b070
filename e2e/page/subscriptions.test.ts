import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import { describePage } from '../kit/browser.ts';
import { addModbus, addMqtt, addSparkplug, connected, readValues } from '../kit/configure.ts';
import { useNorthPlant } from '../world/plant.ts';
import { usePage } from './fixture.ts';

interface Payload {
  readonly timestamp: number;
  readonly values: object;
}

describePage('subscriptions in the page', function () {
  const { plant, open, subscriptionsOf } = usePage(useNorthPlant());
  before(async () => {
    const tags = [{ name: 'level', address: '1!400001', attribute: Attribute.READ, type: DataType.INT16 }];
    for (const node of ['boiler', 'kettle']) {
      await addModbus(plant.client, node, { port: plant.device.port, group: 'few', interval: 200, tags });
      await readValues(plant.client, node, 'few');
    }
    await addMqtt(plant.client, 'cloud', plant.broker.port, { format: 0 });
    await connected(plant.client, 'cloud');
  });

  it('show what the app would send, which is what the broker gets', async () => {
    const page = await open('#/nodes/cloud/subscriptions');
    await page.getByRole('checkbox', { name: 'Select boiler · few' }).check();
    await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Show what would be sent next' }).click();
    const shown = dialog.getByRole('group', { name: 'What would be sent next' });
    await shown.getByText('/neuron/cloud/boiler/few').waitFor();
    // Follows what is typed.
    await dialog.getByRole('textbox', { name: 'Topic' }).fill('plant/level');
    await shown.getByText('plant/level').waitFor();
    const expected = JSON.parse(await shown.getByRole('region', { name: 'Payload' }).innerText()) as Payload;
    expect(
      plant.subscriber.messages.some(({ topic }) => topic === 'plant/level'),
      'nothing is sent',
    ).to.equal(false);
    await dialog.getByRole('textbox', { name: 'Topic' }).fill('plant/#');
    await shown.getByText('a topic to publish to has no').waitFor();
    await dialog.getByRole('textbox', { name: 'Topic' }).fill('plant/level');
    await dialog.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByText('1 groups are subscribed to.').waitFor();

    const { text } = await plant.subscriber.next('plant/level');
    const sent = JSON.parse(text) as Payload;
    expect({ ...sent, timestamp: 0 }).to.deep.equal({ ...expected, timestamp: 0 });
  });

  it('are taken and ended for many groups at once', async () => {
    await plant.client.ok('DELETE', '/subscribe', { app: 'cloud', driver: 'boiler', group: 'few' });
    const page = await open('#/nodes/cloud/subscriptions');
    await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
    await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Subscribe' }).click();
    await page.getByText('2 groups are subscribed to.').waitFor();
    await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
    await page.getByRole('button', { name: 'Unsubscribe', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByText('2 subscriptions are ended.').waitFor();
    expect(await subscriptionsOf('cloud')).to.deep.equal([]);
  });

  it('of an app that reaches no broker are not at fault: the overview says what to look at', async () => {
    await addMqtt(plant.client, 'lost', 1);
    const page = await open();
    const card = page.locator('.mantine-Card-root', { has: page.getByRole('link', { name: 'lost' }) });
    await card.getByText('There is no connection to the broker 127.0.0.1:1').waitFor();
    await card.getByText('Check that the server or broker runs').waitFor();
    await card.getByText(/code 3002$/).waitFor();
    await plant.client.ok('DELETE', '/node', { name: 'lost' });
  });

  it('of an app without a preview say so', async () => {
    await addSparkplug(plant.client, 'edge', plant.broker.port);
    const page = await open('#/nodes/edge/subscriptions');
    await page.getByRole('checkbox', { name: 'Select boiler · few' }).check();
    await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
    await page.getByRole('button', { name: 'Show what would be sent next' }).click();
    await page.getByText('The plugin "SparkPlugB" shows no preview of what it sends.').waitFor();
  });
});
