import { readFile } from 'node:fs/promises';
import type { TraceReply } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describePage } from '../kit/browser.ts';
import { addBoiler, connected, registerTags } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { dissected, hasTshark } from '../world/dissection.ts';
import { pathOf, usePage } from './fixture.ts';

describePage('the frame trace of a node in the page', function () {
  const { plant, open } = usePage();
  before(async () => {
    await addBoiler(plant, 'fast', registerTags(3));
    await connected(plant.client, 'boiler');
  });

  const trace = (): Promise<TraceReply> => plant.client.ok('GET', '/node/trace', { node: 'boiler' });
  const beginIn = (page: Page): Promise<void> =>
    page.getByRole('button', { name: 'Trace for a minute' }).click();

  async function saved(page: Page, button: string): Promise<{ name: string; content: Buffer }> {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: button }).click();
    const file = await download;
    return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
  }

  it('shows frames as they come with what they mean, and is saved as text and as pcapng', async () => {
    const page = await open('#/nodes/boiler/trace');
    await page.getByText('No frame yet.').waitFor();
    expect(await page.getByRole('button', { name: 'Save as pcapng' }).isDisabled()).to.equal(true);
    await beginIn(page);
    const sent = page.getByRole('row', { name: /sent 1 12 Read holding registers 400001 to 400003/ });
    await sent.first().waitFor();
    await page
      .getByRole('row', { name: /received 1 15 Values of holding registers/ })
      .first()
      .waitFor();
    await page.getByText(/Traced so far: \d\d+ frames\./).waitFor();
    await sent.first().getByRole('button').click();
    const bytes = await page.getByRole('region', { name: /Bytes of frame 1/ }).innerText();
    expect(bytes).to.match(/0000 {2}[\da-f]{2} [\da-f]{2} 00 00 00 06 01 03 00 00 00 03/);
    await page.getByRole('button', { name: 'End the trace' }).click();
    await page.getByText(/The trace was ended: \d+ frames\./).waitFor();
    const { total } = await trace();
    await page.getByText(`The trace was ended: ${total} frames.`).waitFor();

    const text = await saved(page, 'Save as text');
    expect(text.name).to.equal('boiler.txt');
    expect(text.content.toString().match(/^\d{4}-.* (?:->|<-) /gm)).to.have.length(total);
    const capture = await saved(page, 'Save as pcapng');
    expect(capture.name).to.equal('boiler.pcapng');
    // A machine without tshark has these frames dissected nowhere: e2e/test/trace.test.ts says so.
    if (!hasTshark) return;
    const layers = dissected(capture.content, ['frame.protocols', 'frame.comment']);
    expect(layers).to.have.length(total);
    expect(layers[0]).to.deep.equal(['raw:ip:tcp:mbtcp:modbus', 'Read holding registers 400001 to 400003']);
  });

  it('is of one tag when one is chosen, and goes on over a restart of the node', async () => {
    const page = await open('#/nodes/boiler/trace');
    await page.getByRole('combobox', { name: 'Group of the tag' }).click();
    await page.getByRole('option', { name: 'fast' }).click();
    expect(await page.getByRole('button', { name: 'Trace for a minute' }).isDisabled()).to.equal(true);
    await page.getByRole('combobox', { name: 'Tag', exact: true }).click();
    await page.getByRole('option', { name: 'tag1' }).click();
    await beginIn(page);
    await page.getByText('Traced so far').waitFor();
    expect(await trace()).to.include({ group: 'fast', tag: 'tag1' });
    const before = (await trace()).total;
    await page.getByRole('button', { name: 'Stop boiler' }).click();
    await page.getByRole('button', { name: 'Start boiler' }).click();
    await until('frames of the next run', async () => {
      const { total, frames } = await trace();
      return total > before && frames.some(({ connection }) => connection > 1);
    });
    await page.getByRole('button', { name: 'End the trace' }).click();
  });

  it('is not looked at any more when its viewer has left, so that the gateway ends it', async () => {
    const page = await open('#/nodes/boiler/trace');
    await beginIn(page);
    await page.getByText('Traced so far').waitFor();
    await page.getByRole('tab', { name: 'State' }).click();
    await page.getByText('Show all counters').waitFor();
    let looks = 0;
    page.on('request', (request) => {
      if (pathOf(request) === '/api/v2/node/trace') looks++;
    });
    await page.waitForTimeout(1500);
    expect(looks).to.equal(0);
    await page.getByRole('tab', { name: 'Frame trace' }).click();
    await page.getByRole('button', { name: 'End the trace' }).click();
    await page.getByText(/The trace was ended: \d+ frames\./).waitFor();
  });

  it('says to an operator who may trace', async () => {
    await plant.client.ok('POST', '/users', { name: 'operator', password: 'secret', role: 'operator' });
    const { token = '' } = await plant.gateway.anonymous().login('operator', 'secret');
    const page = await open('#/nodes/boiler/trace', { as: { token, user: 'operator' } });
    await page.getByText('The frames of a node are traced by an engineer or an admin.').waitFor();
    expect(await page.getByRole('button', { name: 'Trace for a minute' }).count()).to.equal(0);
  });
});
