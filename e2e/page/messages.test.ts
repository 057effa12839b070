import { readFile } from 'node:fs/promises';
import type { TraceReply } from '@tagway/schemas';
import { expect } from 'chai';
import { describePage } from '../kit/browser.ts';
import { addBoiler, addMqtt, connected, registerTags } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { useNorthPlant } from '../world/plant.ts';
import { usePage } from './fixture.ts';

describePage('the messages of an app in the page', function () {
  const { plant, open } = usePage(useNorthPlant());
  before(async () => {
    const { client, broker } = plant;
    await addBoiler(plant, 'fast', registerTags(3));
    await addMqtt(client, 'uplink', broker.port, { 'upload-topic': 'plant/fast' });
    await client.ok('POST', '/subscribe', { app: 'uplink', driver: 'boiler', group: 'fast' });
    await connected(client, 'uplink');
  });
  const trace = (): Promise<TraceReply> => plant.client.ok('GET', '/node/trace', { node: 'uplink' });

  it('are shown as they come, with counts and content, and saved as text', async () => {
    const page = await open('#/nodes/uplink/messages');
    await page.getByText('No message yet.').waitFor();
    await page.getByRole('button', { name: 'Show for a minute' }).click();
    const row = page.getByRole('row', { name: /→ sent plant\/fast \d+ \{"node":"boiler"/ }).first();
    await row.waitFor();
    await page.getByRole('row', { name: /^boiler \/ fast \d+ \d+/ }).waitFor();
    await row.getByRole('button').click();
    const content = await page.getByRole('region', { name: /Content of message \d+/ }).innerText();
    expect(JSON.parse(content)).to.include({ node: 'boiler', group: 'fast' });
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    const { total } = await until('it has ended', async () => {
      const found = await trace();
      return found.end === 'asked' ? found : undefined;
    });
    await page.getByText(`Stopped: ${total} messages.`).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as text' }).click();
    const file = await download;
    expect(file.suggestedFilename()).to.equal('uplink.txt');
    expect(await readFile(await file.path(), 'utf8')).to.match(
      /-> {2}127\.0\.0\.1:\d+ {2}plant\/fast {2}boiler\/fast/,
    );
  });

  it('are in Chinese, after a start of the gateway too', async () => {
    await plant.gateway.restart();
    await plant.renew();
    await connected(plant.client, 'uplink');
    const page = await open('#/nodes/uplink/messages', { language: 'zh' });
    await page.getByRole('button', { name: '显示一分钟' }).click();
    await page
      .getByRole('row', { name: /→ 发送 plant\/fast/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: '停止', exact: true }).click();
    await page.getByText(/^已停止：\d+ 条消息。$/).waitFor();
  });
});
