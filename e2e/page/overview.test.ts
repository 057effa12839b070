import { expect } from 'chai';
import { describePage } from '../kit/browser.ts';
import { addModbus, registerTags } from '../kit/configure.ts';
import { Device } from '../world/devices.ts';
import { usePage } from './fixture.ts';

describePage('the overview', function () {
  const { plant, open } = usePage();
  it('is one calm sentence, names what fails and why, and is calm again', async () => {
    const { port } = plant.device;
    await addModbus(plant.client, 'boiler', { port, tags: registerTags(3) });
    const page = await open();
    const calm = page.getByText('Everything is well: 1 of 1 running nodes are connected');
    await calm.waitFor();
    await page
      .getByText(/^[1-9][\d.,]*$/)
      .first()
      .waitFor();

    await plant.device.stop();
    const wrong = page.getByRole('region', { name: 'What is wrong' });
    await wrong.getByRole('link', { name: 'boiler' }).waitFor();
    await wrong.getByText('3 tags in error: The driver is not connected to its device.').waitFor();
    await wrong.getByText(/refuses connections/).waitFor();
    await wrong.getByText(/^Since .*code 3002$/).waitFor();
    expect(await calm.count()).to.equal(0);

    const device = await Device.start({ port });
    try {
      await calm.waitFor();
      expect(await wrong.getByText('tags in error').count()).to.equal(0);
    } finally {
      await device.stop();
    }
  });
});
