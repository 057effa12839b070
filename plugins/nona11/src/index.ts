import { driver } from '@tagway/sdk';
import { checkTag } from './address.ts';
import { NonA11Driver } from './driver.ts';
import type { Settings } from './settings.ts';

export default driver<Settings>({
  create: (context) => new NonA11Driver(context),
  checkTag,
});
