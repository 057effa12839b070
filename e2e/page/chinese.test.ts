import { describePage } from '../kit/browser.ts';
import { addModbus } from '../kit/configure.ts';
import { usePage } from './fixture.ts';

describePage('refusals of the gateway, to a reader of Chinese', function () {
  const { plant, chromium, open } = usePage();
  const language = 'zh';
  before(() => addModbus(plant.client, 'boiler', { port: plant.device.port, tags: [] }));

  it('are in Chinese at the login', async () => {
    const page = await chromium.open(plant.gateway, '', { language });
    await page.getByRole('textbox', { name: '用户', exact: true }).fill('admin');
    await page.locator('input[type=password]').fill('wrong');
    await page.getByRole('button', { name: '登录' }).click();
    await page.getByText('没有使用此名称和密码的用户。请检查两者，区分大小写。').waitFor();
  });

  it('are in Chinese with their values, in forms', async () => {
    const page = await open('#/users', { language });
    await page.getByRole('textbox', { name: '名称', exact: true }).first().fill('admin');
    await page.locator('input[autocomplete=new-password]').last().fill('secret');
    await page.getByRole('button', { name: '添加用户' }).click();
    await page.getByText('已有用户“admin”。').waitFor();
  });

  it('are in Chinese with the sentences within them, for a file that cannot be imported', async () => {
    const page = await open('#/transfer', { language });
    const tags = [{ name: 'level', address: '1!400001', attribute: 1, type: 3, precision: 99 }];
    const config = {
      nodes: [{ name: 'press', plugin: 'Modbus TCP' }],
      groups: [{ driver: 'press', group: 'main', interval: 1000 }],
      tags: [{ driver: 'press', group: 'main', tags }],
      subscriptions: [],
      settings: [],
    };
    await page.locator('input[type=file]').setInputFiles({
      name: 'c.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(config)),
    });
    await page
      .getByText(
        '“press”的组“main”的一个点位（tags[0]）被拒绝。点位“level”的精度为 99，应为 0 至 17 的整数。',
      )
      .waitFor();
  });

  it('are in Chinese where the SDK makes them of the reason of a link', async () => {
    await addModbus(plant.client, 'press', { port: 1, tags: [] });
    const page = await open('#/', { language });
    await page
      .getByText('与设备的连接已断开：127.0.0.1:1 拒绝连接：该端口上没有服务（ECONNREFUSED）。')
      .waitFor();
  });
});
