/** An HTTP node in a process of its own, so that it can be killed. Arguments: its folder, the URL, and the first number to deliver. */
import { deliverUntilEnd } from '@tagway/store/test';
import { nodeIn, sampleOf, settingsOf, subscription } from './nodes.ts';

const [folder = '', url = ''] = process.argv.slice(2);
const run = await nodeIn(folder);
await run.start(settingsOf({ url, 'batch-age': 100, timeout: 2000 }));
await deliverUntilEnd(run, (number) => sampleOf(number), subscription);
