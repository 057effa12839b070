import { driver } from '@tagway/sdk';
import { checkTag } from './address.ts';
import { BacnetDriver } from './driver.ts';
import { checkSettings, type Settings } from './settings.ts';

export default driver<Settings>({
  create: (context) => new BacnetDriver(context),
  checkTag,
  checkSettings,
});
