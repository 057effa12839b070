import { driver } from '@tagway/sdk';
import { checkTag } from './address.ts';
import { Qna3eDriver } from './driver.ts';
import type { Settings } from './settings.ts';

export default driver<Settings>({
  create: (context) => new Qna3eDriver(context),
  checkTag,
});
